/*
 * lookup_tables.h
 *	  Tables for look-ups (ops_lookup.h), made the plainest way, in malloc'd memory.
 */
#ifndef LOOKUP_TABLES_H
#define LOOKUP_TABLES_H

#include <stdlib.h>
#include <string.h>

#include "program/ops_lookup.h"

/* Zeros, of exactly that size, so that the address sanitizer sees reads outside of them. */
static inline char *
table_memory(size_t size)
{
	char	   *memory = calloc(1, size);

	if (memory == NULL)
		abort();
	return memory;
}

/* 2^(64 - shift) entries for n keys: half of them are empty, at least. */
static inline uint32_t
table_shift(uint64_t n)
{
	uint32_t	shift = 63;

	while (UINT64_C(1) << (64 - shift) < 2 * n + 1)
		shift--;
	return shift;
}

static inline size_t
table_entry_size(LookupForm form)
{
	static const size_t sizes[LOOKUP_FORMS] = {
		0, 1, 2, 4, sizeof(uint64_t), sizeof(LookupEntry), sizeof(LookupText)
	};

	return sizes[form];
}

/* A key's number goes to the first free place. */
static inline void
table_put_integer(char *table, int64_t key, uint32_t number)
{
	const LookupHeader *header = (const LookupHeader *) table;
	void	   *entries = table + sizeof(LookupHeader);
	uint64_t	distance = (uint64_t) key - (uint64_t) header->least;
	uint64_t	mask = header->nentries - 1;
	uint64_t	at = header->form < LOOKUP_HASH4 ? distance : lookup_hash(key) >> header->shift;

	switch ((LookupForm) header->form)
	{
		case LOOKUP_BITS:
			((uint8_t *) entries)[at / 8] |= (uint8_t) (1 << at % 8);
			break;
		case LOOKUP_ARRAY1:
			((uint8_t *) entries)[at] = (uint8_t) number;
			break;
		case LOOKUP_ARRAY2:
			((uint16_t *) entries)[at] = (uint16_t) number;
			break;
		case LOOKUP_ARRAY4:
			((uint32_t *) entries)[at] = number;
			break;
		case LOOKUP_HASH4:
			while ((uint32_t) ((uint64_t *) entries)[at] != 0)
				at = (at + 1) & mask;
			((uint64_t *) entries)[at] = distance << 32 | number;
			break;
		default:
			while (((LookupEntry *) entries)[at].number != 0)
				at = (at + 1) & mask;
			((LookupEntry *) entries)[at] = (LookupEntry) {.key = key,.number = number};
			break;
	}
}

/* n different keys, of which key i is that of rows[i]; all rows are below nrows. */
static inline Bytes
table_of_integers(LookupForm form, const int64_t *keys, const uint32_t *rows, uint32_t n,
				  uint32_t nrows)
{
	LookupHeader header = {.form = form,.nrows = nrows,.most = -1};
	size_t		size;
	char	   *table;

	for (uint32_t i = 0; i < n; i++)
	{
		header.least = i == 0 || keys[i] < header.least ? keys[i] : header.least;
		header.most = i == 0 || keys[i] > header.most ? keys[i] : header.most;
	}
	header.nentries = (uint64_t) header.most - (uint64_t) header.least + 1;
	if (form >= LOOKUP_HASH4)
	{
		header.shift = table_shift(n);
		header.nentries = UINT64_C(1) << (64 - header.shift);
	}
	size = sizeof(header) + (form == LOOKUP_BITS ? (header.nentries + 7) / 8 :
							 header.nentries * table_entry_size(form));
	table = table_memory(size);
	memcpy(table, &header, sizeof(header));
	for (uint32_t i = 0; i < n; i++)
		table_put_integer(table, keys[i], rows[i] + 1);
	return (Bytes) {table, (uint32_t) size};
}

static inline Bytes
table_of_texts(const Bytes *keys, const uint32_t *rows, uint32_t n, uint32_t nrows)
{
	LookupHeader header = {.form = LOOKUP_TEXTS,.nrows = nrows,.shift = table_shift(n)};
	size_t		size;
	size_t		at;
	char	   *table;

	header.nentries = UINT64_C(1) << (64 - header.shift);
	size = at = sizeof(header) + header.nentries * sizeof(LookupText);
	for (uint32_t i = 0; i < n; i++)
		size += keys[i].len;
	table = table_memory(size);
	memcpy(table, &header, sizeof(header));
	for (uint32_t i = 0; i < n; i++)
	{
		LookupText *entries = (LookupText *) (table + sizeof(header));
		uint64_t	hash = lookup_text_hash(keys[i]);
		uint64_t	to = hash >> header.shift;

		while (entries[to].number != 0)
			to = (to + 1) & (header.nentries - 1);
		entries[to] = (LookupText) {(uint32_t) at, keys[i].len, (uint32_t) (hash >> 32), rows[i] + 1};
		if (keys[i].len > 0)
			memcpy(table + at, keys[i].data, keys[i].len);
		at += keys[i].len;
	}
	return (Bytes) {table, (uint32_t) size};
}

/* Which rows have values: a byte each, or NULL: all. */
static inline void
table_put_present(char *table, uint64_t place, const uint8_t *present)
{
	LookupValues *values = (LookupValues *) table;

	if (present == NULL)
		return;
	values->present = place;
	for (uint32_t i = 0; i < values->nrows; i++)
		table[place + i / 8] |= (char) (present[i] << i % 8);
}

/* Values of that width, row after row. */
static inline Bytes
table_of_values(uint32_t width, const void *rows, const uint8_t *present, uint32_t nrows)
{
	LookupValues values = {.nrows = nrows,.width = width};
	uint64_t	place = sizeof(values) + (uint64_t) nrows * width;
	size_t		size = place + (present != NULL ? (nrows + 7) / 8 : 0);
	char	   *table = table_memory(size);

	memcpy(table, &values, sizeof(values));
	if (nrows > 0)
		memcpy(table + sizeof(values), rows, (size_t) nrows * width);
	table_put_present(table, place, present);
	return (Bytes) {table, (uint32_t) size};
}

static inline Bytes
table_of_row_texts(const Bytes *rows, const uint8_t *present, uint32_t nrows)
{
	LookupValues values = {.nrows = nrows,.width = sizeof(uint32_t)};
	uint64_t	at = sizeof(values) + (nrows + UINT64_C(1)) * sizeof(uint32_t);
	size_t		size = at + (present != NULL ? (nrows + 7) / 8 : 0);
	uint32_t   *places;
	char	   *table;

	for (uint32_t i = 0; i < nrows; i++)
		size += rows[i].len;
	table = table_memory(size);
	memcpy(table, &values, sizeof(values));
	places = (uint32_t *) (table + sizeof(values));
	for (uint32_t i = 0; i < nrows; i++)
	{
		places[i] = (uint32_t) at;
		if (rows[i].len > 0)
			memcpy(table + at, rows[i].data, rows[i].len);
		at += rows[i].len;
	}
	places[nrows] = (uint32_t) at;
	table_put_present(table, at, present);
	return (Bytes) {table, (uint32_t) size};
}

#endif							/* LOOKUP_TABLES_H */
