// node_postgres: queries.txt by node-postgres: simple and extended protocol, named statements,
// binary results, and cursors.
'use strict';
const fs = require('fs');
const path = require('path');
let pg, Cursor;
try {
	pg = require('pg');
	Cursor = require('pg-cursor');
} catch (error) {
	console.error('there is no node-postgres with pg-cursor');
	process.exit(77);
}
const queries = fs.readFileSync(path.join(__dirname, 'queries.txt'), 'utf8').trim().split('\n');
// values as they came
const types = { getTypeParser: () => (value) => value };

async function cursor(client, query) {
	const reader = client.query(new Cursor(query, [100], { rowMode: 'array', types }));
	const all = [];
	for (let rows; (rows = await reader.read(3)).length > 0;) all.push(rows);
	await reader.close();
	return all;
}

async function named(client, text, name) {
	const all = [];
	for (let i = 0; i < 7; i++) all.push((await client.query({ name, text, values: [100], rowMode: 'array', types })).rows);
	return all;
}

const ways = {
	simple: async (client, query) => (await client.query({ text: query.replace('$1', '100'), rowMode: 'array', types })).rows,
	extended: async (client, text) => (await client.query({ text, values: [100], rowMode: 'array', types })).rows,
	'extended, binary': async (client, text) =>
		(await client.query({ text, values: [100], rowMode: 'array', types, binary: true })).rows,
	prepared: named,
	cursor,
};

async function main() {
	for (const mode of ['off', 'force']) {
		const client = new pg.Client();
		await client.connect();
		await client.query(`SET gpuagg.mode = ${mode}`);
		for (const [way, run] of Object.entries(ways)) {
			for (let i = 0; i < queries.length; i++)
				console.log([way, mode, `query ${i + 1}`, JSON.stringify(await run(client, queries[i], `q${i}`))].join('\t'));
			const plan = await client.query('EXPLAIN ' + queries[0].replace('$1', '100'));
			console.log([way, mode, 'plan', JSON.stringify(plan.rows)].join('\t'));
		}
		await client.end();
	}
}

main().catch((error) => { console.error(error); process.exit(1); });
