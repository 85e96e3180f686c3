/*
 * inject.h
 *	  Failures that tests ask the simulated device for.
 */
#ifndef GPUAGG_SIMT_INJECT_H
#define GPUAGG_SIMT_INJECT_H

#include "engine/simt/simt.h"

/* Count a call; the status it must fail with, or DEVICE_OK. */
extern DeviceStatus simt_injected(const char *call);

/* Hang, as a driver that looks for devices may, for as long as the file GPUAGG_SIMT_HANG is there. */
extern void simt_hang(void);

#endif							/* GPUAGG_SIMT_INJECT_H */
