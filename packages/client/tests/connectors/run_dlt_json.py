"""Runs docs/integrations/dlt.json with dlt. usage: run_dlt_json.py CONFIG   (CRM_READ_URL, CRM_API_KEY, CRM_PAGE)"""

import json
import os
import sys

import dlt
from dlt.sources.rest_api import rest_api_source

text = open(sys.argv[1]).read()
for name, variable in {"READ": "CRM_READ_URL", "KEY": "CRM_API_KEY"}.items():
    text = text.replace(f'"{name}"', json.dumps(os.environ[variable]))
config = json.loads(text)
for resource in config["resources"]:
    resource["endpoint"]["params"]["limit"] = int(os.environ["CRM_PAGE"])
pipeline = dlt.pipeline("crm_json", destination="duckdb", dataset_name="crm")
pipeline.run(rest_api_source(config), refresh=os.environ.get("CRM_REFRESH"))
