// A module of its own, so that the programs of langbench need nothing but the standard library.
module payments

go 1.25.0

require (
	github.com/jackc/pgx/v5 v5.12.0
	google.golang.org/grpc v1.82.0
	google.golang.org/protobuf v1.36.11
	runfair v0.0.0
)

require (
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/puddle/v2 v2.2.3 // indirect
	golang.org/x/net v0.53.0 // indirect
	golang.org/x/sync v0.22.0 // indirect
	golang.org/x/sys v0.43.0 // indirect
	golang.org/x/text v0.41.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260414002931-afd174a4e478 // indirect
)

replace runfair => ../../..
