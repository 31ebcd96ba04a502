#!/bin/sh
# Run once by the mysql image, when its data directory is created: Temporal's own account, for its two schemas and
# nothing else. The service's account and schema come from the image's MYSQL_USER and MYSQL_DATABASE.
set -eu

MYSQL_PWD="$MYSQL_ROOT_PASSWORD" mysql --protocol=socket --user=root <<SQL
CREATE USER 'temporal'@'%' IDENTIFIED BY '$TEMPORAL_DATABASE_PASSWORD';
GRANT ALL PRIVILEGES ON temporal.* TO 'temporal'@'%';
GRANT ALL PRIVILEGES ON temporal_visibility.* TO 'temporal'@'%';
SQL
