# hybridkg on the official image of PostgreSQL.
#
#	docker build --build-arg PG_MAJOR=17 -t hybridkg .		the server with the extension
#	docker build --build-arg PG_MAJOR=18 --target files -t hybridkg-files .
#		the extension's files alone, and BLAS and LAPACK: an image volume for CloudNativePG (demo/cloudnativepg.yaml)
#
# compose.yaml runs the target demo.
ARG PG_MAJOR=17
ARG DEBIAN=bookworm

FROM postgres:$PG_MAJOR-$DEBIAN AS build
ARG PG_MAJOR
RUN apt-get update -q && apt-get install -q -y --no-install-recommends \
	gcc libc6-dev libblas-dev liblapack-dev make postgresql-server-dev-$PG_MAJOR
COPY . /src
RUN cd /src && make -s -j "$(nproc)" && make -s install DESTDIR=/out && mkdir /system && \
	cp -L $(ldd /out/usr/lib/postgresql/$PG_MAJOR/lib/hybridkg_algebra.so | awk '/blas|lapack|gfortran|quadmath/ { print $3 }') /system

FROM scratch AS files
ARG PG_MAJOR
COPY --from=build /out/usr/lib/postgresql/$PG_MAJOR/lib/ /lib/
COPY --from=build /out/usr/share/postgresql/$PG_MAJOR/extension/ /share/extension/
COPY --from=build /system/ /system/

FROM postgres:$PG_MAJOR-$DEBIAN AS server
COPY --from=build /out/ /

# The packages of Debian as tables, filled, and the page of hkg_report in the volume /report
FROM server AS demo
RUN apt-get update -q && mkdir /report && chown postgres /report
COPY demo/packages.sql /hybridkg/demo/
COPY bench/packages bench/packages.sql /hybridkg/bench/
COPY demo/container.sh /docker-entrypoint-initdb.d/
VOLUME /report

FROM server
