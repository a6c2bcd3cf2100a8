// SPDX-License-Identifier: GPL-2.0-or-later
// duckdb.mjs DIR: runs the SQL on standard input with the DuckDB of DIR/node_modules and
// prints the rows of the last statement, tab-separated.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { DuckDBInstance } = createRequire(`${process.argv[2]}/here.js`)('@duckdb/node-api');
const connection = await (await DuckDBInstance.create(':memory:')).connect();
const reader = await connection.runAndReadAll(readFileSync(0, 'utf8'));
for (const row of reader.getRows()) console.log(row.map(String).join('\t'));
