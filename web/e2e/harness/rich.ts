/** An answer with everything that an answer can have. */
export const files = {
  "src/post.rs": `${Array.from({ length: 60 }, (_, at) => `// line ${at + 1}`).join("\n")}\n`,
  "README.md": "# Ledger\n",
};

export const code = `pub fn post(entry: &Entry, ledger: &mut Ledger) -> Result<Receipt, PostError> {
    // A line that is longer than any column: the reader has to see that there is more of it, and how to reach it.
    let key = entry.key().ok_or(PostError::NoKey)?;
\tledger.insert(key, entry)
}`;

export const answer = `## What I found

The write happens in \`src/post.rs:42\`, called from src/post.rs:7-9 and described in [the readme](README.md). There is no \`src/gone.rs:3\`.[^1]

| Layer | Requests | p99 | Owner | What it does |
|:------|---------:|----:|:-----:|--------------|
| HTTP | 12,400 | 31 ms | web | Terminates connections, checks the session and hands the body on |
| Queue | 980 | 4.2 ms | core | Keeps what came in order, and gives back \`QueueFull\` when there is no room |
| Storage | 77 | 120 ms | core | Writes ahead, then answers |

\`\`\`rust
${code}
\`\`\`

- [x] Reproduce it with a test
- [ ] Move the insert into the transaction
  - [ ] and the receipt
- [ ] Tell whoever calls \`post\`

The chance that two keys collide is $p \\approx \\frac{n^2}{2m}$, far below one in $10^{12}$; it costs $5 a month, not $50.

$$
\\Pr[\\text{collision}] = 1 - \\prod_{i=1}^{n-1}\\left(1 - \\frac{i}{m}\\right) \\le \\sqrt{\\frac{\\vec{n}\\cdot(n-1)}{2m}}
$$

\`\`\`mermaid
flowchart LR
  A[Browser] -->|entry| B(Queue)
  B --> C{Key known?}
  C -->|no| D[Insert]
  C -->|yes| E[Answer again]
  D --> F[(Ledger)]
\`\`\`

### بالعربية

تم إصلاح الخطأ في \`src/post.rs:42\`، وشغّلت \`cargo test\` بعد ذلك.

- أولاً: أضف المفتاح \`entry.key()\`
- ثانياً: أعد المحاولة

פתחתי את \`README.md\` והוספתי סעיף על \`post()\`.

> \`post()\` を二回呼んでも、帳簿には一行だけ残ります。

| الاسم | القيمة |
|---|---|
| مفتاح | \`key\` |

1. One
2. Two, with

   a paragraph of its own

[^1]: It was removed in March; see the log of \`README.md\`.
[^why]: A second one, that goes on
  over two lines.
`;
