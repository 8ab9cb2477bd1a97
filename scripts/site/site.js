// Search as you type, and a button to copy each block of code.
(() => {
  const up = document.currentScript.dataset.up;
  const input = document.querySelector("#search");
  const list = document.querySelector("#found");

  function score([, title, headings, words], terms) {
    let sum = 0;
    for (const term of terms) {
      const part = title.toLowerCase().includes(term) ? 10 : headings.toLowerCase().includes(term) ? 4 : words.includes(term) ? 1 : 0;
      if (part === 0) return 0;
      sum += part + (title.toLowerCase() === term ? 20 : 0);
    }
    return sum;
  }

  function show() {
    const terms = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = terms.length === 0 ? [] : (window.sluiceSearch ?? []).map((entry) => [score(entry, terms), entry]).filter(([points]) => points > 0);
    found.sort(([a], [b]) => b - a);
    list.replaceChildren(
      ...found.slice(0, 12).map(([, [path, title]]) => {
        const link = document.createElement("a");
        link.href = up + path;
        link.textContent = title;
        const place = document.createElement("small");
        place.textContent = path;
        link.append(" ", place);
        const item = document.createElement("li");
        item.append(link);
        return item;
      }),
    );
    list.hidden = found.length === 0;
  }

  input.addEventListener("input", show);
  document.addEventListener("keydown", (event) => {
    const typing = /^(?:INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "");
    if (event.key === "/" && !typing) {
      event.preventDefault();
      input.focus();
    }
    if (event.key === "Escape") {
      input.value = "";
      show();
    }
    if (event.key === "Enter" && document.activeElement === input) list.querySelector("a")?.click();
  });

  for (const figure of document.querySelectorAll("figure.code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(figure.querySelector("code").textContent);
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1_500);
    });
    figure.append(button);
  }
})();
