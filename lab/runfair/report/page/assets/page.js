// Draws each picture of the page when it comes near, and filters what is shown.

const NARROW = 560;

/** @param {Record<string, unknown[]>} columns @returns {Record<string, unknown>[]} */
function rows(columns) {
  const names = Object.keys(columns);
  return (columns[names[0]] ?? []).map((_, place) =>
    Object.fromEntries(names.map((name) => [name, columns[name][place]])),
  );
}

/** On a phone the names of rows and series must leave room for the picture. */
function fitted(spec, width) {
  if (width >= NARROW) {
    return spec;
  }
  const { axis, legend } = spec.config;
  const config = {
    ...spec.config,
    axis: { ...axis, labelFontSize: 10 },
    axisY: { labelLimit: width / 3 },
    legend: { ...legend, columns: 1, labelLimit: width - 80 },
  };
  return { ...spec, config };
}

async function draw(figure) {
  const place = figure.querySelector('.drawing');
  const { spec, data } = JSON.parse(figure.querySelector('script').textContent);
  const datasets = Object.fromEntries(
    Object.entries(data).map(([name, columns]) => [name, rows(columns)]),
  );
  // `ast`: expressions are interpreted, so that the page needs no evaluation of text.
  await window.vegaEmbed(
    place,
    { ...fitted(spec, place.clientWidth), datasets },
    {
      ast: true,
      actions: false,
      renderer: 'svg',
      defaultStyle: false,
      tooltip: { disableDefaultStyle: true },
    },
  );
  figure.dataset.drawn = 'true';
}

function drawAll(figures) {
  const waiting = new Set(figures);
  const take = (figure) => {
    if (waiting.delete(figure)) {
      observer.unobserve(figure);
      return draw(figure);
    }
    return Promise.resolve();
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) {
          take(entry.target);
        }
      }
    },
    { rootMargin: '300px' },
  );
  for (const figure of figures) {
    observer.observe(figure);
  }
  // Whoever prints wants all of them: the rest is drawn while nothing else is to be done.
  const idle = window.requestIdleCallback ?? ((next) => setTimeout(next, 50));
  const rest = async () => {
    const [next] = waiting;
    if (next !== undefined) {
      await take(next);
      idle(rest);
    } else {
      document.body.dataset.drawn = 'true';
    }
  };
  idle(rest);
}

function filter(form) {
  const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
  const states = new Set(
    [...form.querySelectorAll('[name=state]:checked')].map((box) => box.value),
  );
  const told = (state) => state === '' || states.has(state);
  const named = (text) => words.every((word) => text.includes(word));
  let shown = 0;
  const figures = document.querySelectorAll('figure');
  for (const figure of figures) {
    const table = figure.querySelector('details.table');
    const text = figure.querySelector('h3').textContent + table.textContent;
    figure.hidden = !(told(figure.dataset.state) && named(text.toLowerCase()));
    shown += figure.hidden ? 0 : 1;
  }
  for (const table of document.querySelectorAll('section.table')) {
    const title = table.querySelector('h3').textContent.toLowerCase();
    let left = 0;
    for (const row of table.querySelectorAll('tbody tr')) {
      const text = `${title} ${row.textContent.toLowerCase()}`;
      row.hidden = !(told(row.className) && named(text));
      left += row.hidden ? 0 : 1;
    }
    table.hidden = left === 0;
  }
  form.querySelector('output').textContent = `${shown} of ${figures.length} pictures`;
}

/** Shows the rows of a table whose data are those that are chosen. */
function select(form) {
  const choices = [...form.querySelectorAll('select')].filter((one) => one.value !== '');
  const rows = document.querySelectorAll(`#${form.dataset.filters} tbody tr`);
  let shown = 0;
  for (const row of rows) {
    row.hidden = !choices.every((one) => row.dataset[one.name] === one.value);
    shown += row.hidden ? 0 : 1;
  }
  form.querySelector('output').textContent = `${shown} of ${rows.length} rows`;
}

function offer(form, take) {
  form.hidden = false;
  form.addEventListener('input', () => take(form));
  form.addEventListener('submit', (event) => event.preventDefault());
}

offer(document.querySelector('#filter'), filter);
for (const form of document.querySelectorAll('form[data-filters]')) {
  offer(form, select);
}
drawAll(document.querySelectorAll('figure.picture'));
