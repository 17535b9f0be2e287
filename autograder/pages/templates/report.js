
"use strict";
/* The rows of the students' table, in the order in which lists of students count them, from 0. */
const students = [...document.querySelectorAll("#class tbody tr")];
const linkTo = (number, exercise) => {
  const item = document.createElement("li"), link = students[number].querySelector("a").cloneNode(true);
  if (exercise) link.hash = `code-${exercise}`;
  const name = students[number].querySelector(".who > .tag");
  item.append(link, ...(name ? [" ", name.cloneNode(true)] : []));
  return item;
};
for (const list of document.querySelectorAll("details[data-who]")) {
  list.addEventListener("toggle", () => {
    if (!list.open || list.querySelector("ul")) return;
    const names = document.createElement("ul");
    names.className = "names";
    names.append(...list.dataset.who.split(" ").map(number => linkTo(Number(number), list.dataset.of)));
    list.append(names);
  });
}
/* Any table sorts by its columns: numbers by size, all else as text; what has no value stands last. */
const compare = (one, other) => {
  const [a, b] = [Number.parseFloat(one), Number.parseFloat(other)];
  if (!Number.isNaN(a) && !Number.isNaN(b)) return a - b;
  return one.localeCompare(other, undefined, {numeric: true});
};
for (const table of document.querySelectorAll("table.sorts")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.ariaSort === "ascending" ? -1 : 1;
      for (const other of heads) other.ariaSort = null;
      head.ariaSort = down > 0 ? "ascending" : "descending";
      const keyed = [...body.rows].map(row => [row.cells[column].textContent.trim(), row]);
      const none = keyed.filter(([text]) => text === "–"), some = keyed.filter(([text]) => text !== "–");
      body.append(...[...some.sort((a, b) => down * compare(a[0], b[0])), ...none].map(([, row]) => row));
    });
  });
}
const filter = document.getElementById("filter");
if (filter) {
  const [words, status] = [filter.querySelector("input"), filter.querySelector("select")];
  const texts = students.map(row => row.textContent.toLowerCase());
  const narrow = () => {
    const wanted = `${words.value} ${status.value}`.toLowerCase().split(" ").filter(Boolean);
    let left = 0;
    students.forEach((row, number) => {
      row.hidden = !wanted.every(word => texts[number].includes(word));
      left += !row.hidden;
    });
    filter.querySelector("output").value = `${left} of ${students.length}`;
  };
  filter.hidden = false;
  filter.addEventListener("input", narrow);
  narrow();
}
