/*
 * kept_key.c
 *	  What decides a kept column's values.
 */
#include <string.h>

#include "engine/kept_key.h"

/* A text in a key's words: its length, and its bytes; false: it is too long. */
static bool
text_in_key(const ParamValue *param, KeptKey *key)
{
	char	   *to = (char *) key->missing;

	if (param->bytes.len >= sizeof(key->missing))
		return false;
	to[0] = (char) param->bytes.len;
	if (param->bytes.len > 0)
		memcpy(to + 1, param->bytes.data, param->bytes.len);
	return true;
}

bool
kept_key(const Column *column, const ParamValue *params, KeptKey *key)
{
	const ParamValue *missing = column->missing < 0 ? NULL : &params[column->missing];

	memset(key, 0, sizeof(*key));
	key->attno = column->attno;
	key->type = column->type;
	key->nullable = column->nullable;
	key->numeric = column->numeric;
	key->scale = column->scale;
	key->presence = column->presence;
	if (missing == NULL || missing->isnull)
		return true;
	key->has_missing = true;
	if (missing->type == VT_TEXT)
		return text_in_key(missing, key);
	if (value_is_bytes((ValueType) missing->type))
		memcpy(key->missing, missing->bytes.data, missing->bytes.len);
	else
		key->missing[0] = (uint64_t) missing->word;
	return true;
}
