# Kernel text becomes strings in the module.  Included by the Makefiles that
# build it; gpuagg_dir is the directory of this file.

KERNEL_TEXT = $(wildcard $(gpuagg_dir)/cuda/*.cuh) \
	$(wildcard $(gpuagg_dir)/src/program/*.h) \
	$(wildcard $(gpuagg_dir)/src/program/*.def) \
	$(gpuagg_dir)/src/engine/simt/shim.h

$(gpuagg_dir)/src/engine/cuda/kernels/kernel_text.c: $(KERNEL_TEXT) $(gpuagg_dir)/tools/embed
	$(gpuagg_dir)/tools/embed $(KERNEL_TEXT) > $@.tmp
	mv $@.tmp $@
