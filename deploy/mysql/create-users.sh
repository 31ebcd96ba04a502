#!/bin/sh
# Run once by the mysql image, when its data directory is created. The image itself makes the schema of MYSQL_DATABASE and its owner
# MYSQL_USER, which migrates. Api and worker get an account that changes rows and no table. Temporal gets one for its two schemas.
set -eu

MYSQL_PWD="$MYSQL_ROOT_PASSWORD" mysql --protocol=socket --user=root <<SQL
CREATE USER 'sales_data_service'@'%' IDENTIFIED BY '$SERVICE_DATABASE_PASSWORD';
GRANT SELECT, INSERT, UPDATE, DELETE ON sales_data.* TO 'sales_data_service'@'%';
CREATE USER 'temporal'@'%' IDENTIFIED BY '$TEMPORAL_DATABASE_PASSWORD';
GRANT ALL PRIVILEGES ON temporal.* TO 'temporal'@'%';
GRANT ALL PRIVILEGES ON temporal_visibility.* TO 'temporal'@'%';
SQL
