/*
 * tables.cuh
 *	  Parameters that are tables (ops_lookup.h), each in memory of its own.
 */
#ifndef GPUAGG_TABLES_CUH
#define GPUAGG_TABLES_CUH

/* Nothing writes parameters or tables during a kernel: loads of a header are moved out of loops. */
DEVICE_FN Bytes
table_bytes(const DeviceConstant *constant)
{
	Bytes		bytes;

	bytes.data = (const char *) load_readonly(&constant->word);
	bytes.len = load_readonly(&constant->text.length);
	return bytes;
}

#endif							/* GPUAGG_TABLES_CUH */
