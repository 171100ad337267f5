use askama::Template;

const ADDED: &str = "Additional fortune added at request time.";

pub struct Fortune {
    pub id: i32,
    pub message: String,
}

#[derive(Template)]
#[template(
    ext = "html",
    source = "<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table>\
<tr><th>id</th><th>message</th></tr>\
{% for fortune in fortunes %}\
<tr><td>{{ fortune.id }}</td><td>{{ fortune.message }}</td></tr>\
{% endfor %}\
</table></body></html>"
)]
struct Page {
    fortunes: Vec<Fortune>,
}

/// The page of the rows and the additional row.
pub fn page(mut fortunes: Vec<Fortune>) -> askama::Result<String> {
    fortunes.push(Fortune { id: 0, message: ADDED.to_owned() });
    fortunes.sort_by(|a, b| a.message.cmp(&b.message));
    Page { fortunes }.render()
}
