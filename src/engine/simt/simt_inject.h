/*
 * simt_inject.h
 *	  Failures that tests ask the simulated device for.
 */
#ifndef GPUAGG_SIMT_INJECT_H
#define GPUAGG_SIMT_INJECT_H

#include "engine/simt/simt.h"

/* Count a call; the status it must fail with, or DEVICE_OK. */
extern DeviceStatus simt_injected(const char *call);

#endif							/* GPUAGG_SIMT_INJECT_H */
