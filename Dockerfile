# For those who build images with Docker or a relative of it: `docker build -t otelcol-tool-correctness .`
# `make release` makes the same image without either, for two architectures and with the same bytes each time.
FROM golang:1.26 AS build
WORKDIR /src
COPY . .
ENV CGO_ENABLED=0 GOFLAGS=-buildvcs=false
RUN go tool -modfile=internal/tools/go.mod builder --skip-compilation --config=builder-config.yaml \
 && cd dist && go build -trimpath -ldflags="-s -w" -o /out/otelcol-tool-correctness . \
 && mkdir -p /out/var/lib/otelcol /out/etc/ssl/certs /out/etc/otelcol-tool-correctness \
 && cp /etc/ssl/certs/ca-certificates.crt /out/etc/ssl/certs/ \
 && cp /src/internal/tools/release/image.yaml /out/etc/otelcol-tool-correctness/config.yaml

FROM scratch
COPY --from=build /out/otelcol-tool-correctness /otelcol-tool-correctness
COPY --from=build /out/etc /etc
COPY --from=build --chown=10001:10001 /out/var/lib/otelcol /var/lib/otelcol
USER 10001:10001
EXPOSE 4317 4318 8888 13133
ENTRYPOINT ["/otelcol-tool-correctness"]
CMD ["--config=/etc/otelcol-tool-correctness/config.yaml"]
