# PostgreSQL with gpuagg, from the official image.
#
#	docker build -t gpuagg .                              the CPU engine
#	docker build -t gpuagg --build-arg VARIANT=cuda .     with NVRTC, for `docker run --gpus all`
#
# All steps are those of packaging/docker/install, which tools/test-image runs without Docker.
# A container needs more than Docker's 64 MB of /dev/shm for parallel queries: --shm-size=1g.
ARG BASE=postgres:17-bookworm
FROM ${BASE}
ARG VARIANT=cpu
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
COPY . /usr/src/gpuagg
RUN cd /usr/src/gpuagg && packaging/docker/install "$VARIANT" && rm -rf /usr/src/gpuagg
