"""Writes and reads Parquet and CSV of a bucket by DuckDB's httpfs. Environment: ENDPOINT (host and port), KEY, SECRET, BUCKET."""

import glob
import os

import duckdb
import duckdb_ext

# The package brings extensions as files: nothing is downloaded.
[extension] = glob.glob(f"{list(duckdb_ext.__path__)[0]}/extensions/*/*/httpfs.duckdb_extension")
bucket = f"s3://{os.environ['BUCKET']}/duck"
con = duckdb.connect()
con.execute(f"load '{extension}'")
con.execute(
    f"create secret (type s3, key_id '{os.environ['KEY']}', secret '{os.environ['SECRET']}', "
    f"endpoint '{os.environ['ENDPOINT']}', url_style 'path', use_ssl false, region 'us-east-1')"
)
con.execute(f"copy (select i as id, i * 2 as twice from range(2000000) r(i)) to '{bucket}/a.parquet' (format parquet)")
con.execute(f"copy (select i as id, i % 3 as part from range(900) r(i)) to '{bucket}/parts' (format parquet, partition_by (part))")
con.execute(f"copy (select 1 as a) to '{bucket}/c.csv' (format csv)")


def rows(query):
    return con.execute(query).fetchall()


assert rows(f"select count(*), sum(twice) from '{bucket}/a.parquet'") == [(2000000, 3999998000000)]
parts = rows(
    f"select part, count(*) from read_parquet('{bucket}/parts/*/*.parquet', hive_partitioning = true) group by 1 order by 1"
)
assert parts == [(0, 300), (1, 300), (2, 300)], parts
assert rows(f"select * from '{bucket}/c.csv'") == [(1,)]
assert len(rows(f"select file from glob('{bucket}/**')")) == 5
print("done")
