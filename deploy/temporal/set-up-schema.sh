#!/bin/sh
# Creates Temporal's two schemas, or brings them to this version. Run before every start of the server: each step does
# nothing where there is nothing to do. temporal-sql-tool reads SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER, SQL_PASSWORD.
set -eu

versions=${TEMPORAL_SCHEMA_DIR:-/etc/temporal/schema/mysql/v8}

set_up() {
  temporal-sql-tool --db "$1" create
  temporal-sql-tool --db "$1" setup-schema -v 0.0
  temporal-sql-tool --db "$1" update-schema -d "$2"
}

set_up temporal "$versions/temporal/versioned"
set_up temporal_visibility "$versions/visibility/versioned"
