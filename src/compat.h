/*
 * compat.h
 *	  What differs between PostgreSQL's versions.
 */
#ifndef GPUAGG_COMPAT_H
#define GPUAGG_COMPAT_H

#if PG_VERSION_NUM < 150000 || PG_VERSION_NUM >= 160000
#error "gpuagg is written for PostgreSQL 15"
#endif

#endif							/* GPUAGG_COMPAT_H */
