//! As much JSON as the test vectors need: objects, arrays, strings and numbers.

use std::collections::BTreeMap;

pub enum Json {
    Object(BTreeMap<String, Json>),
    Array(Vec<Json>),
    /// A string, or the digits of a number.
    Text(String),
}

impl Json {
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { rest: text };
        let value = parser.value()?;
        match parser.peek() {
            None => Ok(value),
            Some(_) => Err(parser.surprise("the end")),
        }
    }

    pub fn member(&self, name: &str) -> Result<&Json, String> {
        match self {
            Json::Object(members) => members.get(name),
            _ => None,
        }
        .ok_or_else(|| format!("the vectors lack {name:?}"))
    }

    pub fn items(&self) -> Result<&[Json], String> {
        match self {
            Json::Array(items) => Ok(items),
            _ => Err("the vectors have something else where an array should be".to_owned()),
        }
    }

    /// The items of an array that would check nothing were it empty.
    pub fn filled(&self) -> Result<&[Json], String> {
        match self.items()? {
            [] => Err("the vectors have an empty array where there should be vectors".to_owned()),
            items => Ok(items),
        }
    }

    pub fn text(&self) -> Result<&str, String> {
        match self {
            Json::Text(text) => Ok(text),
            _ => Err("the vectors have something else where a text should be".to_owned()),
        }
    }
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn surprise(&self, expected: &str) -> String {
        let near: String = self.rest.chars().take(20).collect();
        format!("malformed JSON: expected {expected} before {near:?}")
    }

    /// The next character that is not white space, not yet taken.
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn accept(&mut self, expected: char) -> bool {
        self.peek();
        match self.rest.strip_prefix(expected) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, expected: char) -> Result<(), String> {
        if self.accept(expected) {
            return Ok(());
        }
        Err(self.surprise(&expected.to_string()))
    }

    fn value(&mut self) -> Result<Json, String> {
        match self.peek() {
            Some('{') => self.object(),
            Some('[') => self.array(),
            Some('"') => self.string().map(Json::Text),
            _ => self.number(),
        }
    }

    fn object(&mut self) -> Result<Json, String> {
        let mut members = BTreeMap::new();
        self.expect('{')?;
        if self.accept('}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.peek();
            let name = self.string()?;
            self.expect(':')?;
            members.insert(name, self.value()?);
            if !self.accept(',') {
                self.expect('}')?;
                return Ok(Json::Object(members));
            }
        }
    }

    fn array(&mut self) -> Result<Json, String> {
        let mut items = Vec::new();
        self.expect('[')?;
        if self.accept(']') {
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value()?);
            if !self.accept(',') {
                self.expect(']')?;
                return Ok(Json::Array(items));
            }
        }
    }

    fn number(&mut self) -> Result<Json, String> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        if end == 0 {
            return Err(self.surprise("a value"));
        }
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(Json::Text(digits.to_owned()))
    }

    fn string(&mut self) -> Result<String, String> {
        let mut text = String::new();
        self.expect('"')?;
        loop {
            let mut characters = self.rest.chars();
            let next = characters.next();
            self.rest = characters.as_str();
            match next {
                Some('"') => return Ok(text),
                Some('\\') => text.push(self.escape()?),
                Some(character) => text.push(character),
                None => return Err(self.surprise("a closing quote")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        let mut characters = self.rest.chars();
        let next = characters.next();
        self.rest = characters.as_str();
        match next {
            Some('n') => Ok('\n'),
            Some('t') => Ok('\t'),
            Some(character @ ('"' | '\\' | '/')) => Ok(character),
            Some('u') => {
                let character = (self.rest.get(..4))
                    .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                    .and_then(char::from_u32)
                    .ok_or_else(|| self.surprise("four hexadecimal digits of one character"))?;
                self.rest = &self.rest[4..];
                Ok(character)
            }
            _ => Err(self.surprise("a known escape")),
        }
    }
}
