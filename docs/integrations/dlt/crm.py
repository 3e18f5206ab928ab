"""Copies all records of a CRM organization into a warehouse with dlt, and keeps the copy equal, deletions included.

The first run reads the lists. Later runs read only the changes after the stored position of the change log. The
position is stored together with the rows, so a run that was interrupted can be repeated. If the log no longer has the
changes after the position, or is another log, the tables are copied again.

    pip install 'dlt[duckdb]==1.31.0'
    CRM_READ_URL=https://… CRM_API_KEY=… python crm.py [destination]

The key needs the group `list`. Each custom field is a column `custom__<slug>` with its type; milliseconds become
timestamps.
"""

import os
import sys
from datetime import datetime, timedelta, timezone
from typing import Any, Iterator

import dlt
from dlt.common import Decimal
from dlt.sources.helpers import requests
from dlt.sources.helpers.rest_client import RESTClient
from dlt.sources.helpers.rest_client.auth import APIKeyAuth
from dlt.sources.helpers.rest_client.paginators import JSONResponseCursorPaginator

OBJECTS = {"account": "accounts", "contact": "contacts", "opportunity": "opportunities", "note": "notes"}

# Values of other records. Events do not have them: join the tables instead.
OF_OTHER_RECORDS = {
    "account": [],
    "contact": ["account_domain", "account_external_id"],
    "opportunity": [
        "stage_name", "owner_email", "account_domain", "account_external_id", "account_name", "contact_email",
        "contact_external_id", "contact_first_name", "contact_last_name", "pipeline_name", "additional_contacts",
        "outcome", "stage_entered_at", "closed_at", "probability", "weighted_amount", "seconds_in_stage", "days_to_close",
    ],
    "note": ["account_domains", "contact_emails"],
}  # fmt: skip

JSON = {"data_type": "json"}
TIMESTAMP = {"data_type": "timestamp"}
AMOUNT = {"data_type": "decimal", "precision": 19, "scale": 4}

# The columns of custom fields by their type. All other types are texts.
CUSTOM = {
    "number": {"data_type": "double"}, "percentage": {"data_type": "double"}, "currency": AMOUNT,
    "rating": {"data_type": "bigint"}, "checkbox": {"data_type": "bool"}, "date": {"data_type": "date"},
    "time": {"data_type": "time"}, "datetime": TIMESTAMP, "timestamp": TIMESTAMP, "date_range": JSON, "location": JSON,
    "multi_select": JSON, "team_members": JSON,
}  # fmt: skip


EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def instant(milliseconds: int | None) -> datetime | None:
    return None if milliseconds is None else EPOCH + timedelta(milliseconds=milliseconds)


class StartOver(Exception):
    """The copy cannot catch up: changes have expired, or the log is another one."""


class UnknownField(Exception):
    """A record has a custom field that was defined after the schema was read."""


def system_column(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The column of a field that every organization has, so that dlt does not guess it from the first values."""
    if name == "amount":
        return AMOUNT
    if schema.get("format") == "date-time" or name in ("close_date", "next_action_date"):
        return TIMESTAMP
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    kinds = {"integer": "bigint", "number": "double", "boolean": "bool", "array": "json", "object": "json"}
    return {"data_type": next((kinds[each] for each in types if each in kinds), "text")}


class Records:
    """How records of one object become rows, by the schema that the API returns now."""

    def __init__(self, object_name: str, schema: dict[str, Any]) -> None:
        others = OF_OTHER_RECORDS[object_name]
        properties = schema["properties"]
        self.system = {name: value for name, value in properties.items() if name not in (*others, "custom_fields")}
        custom = properties.get("custom_fields", {}).get("properties", {})
        self.custom = {slug: value["x-attribute-type"] for slug, value in custom.items()}
        # Named one by one: `custom_fields` alone leaves out hidden fields.
        hidden = [f"custom__{slug}" for slug, value in custom.items() if value.get("x-hidden")]
        self.fields = [*self.system, "custom_fields", *hidden]
        columns = {
            **{name: system_column(name, value) for name, value in self.system.items()},
            **({"additional_contact_ids": JSON} if object_name == "opportunity" else {}),
            **{f"custom__{slug}": CUSTOM.get(kind, {"data_type": "text"}) for slug, kind in self.custom.items()},
            "_deleted": {"data_type": "bool", "hard_delete": True},
            "_position": {"data_type": "bigint", "dedup_sort": "desc"},
        }
        # Copies, because dlt writes the name of the column into each.
        self.columns = {name: dict(column) for name, column in columns.items()}

    def row(self, record: dict[str, Any], position: int, archived: frozenset[str]) -> dict[str, Any]:
        row = {name: record.get(name) for name in self.system}
        for name in {"close_date", "next_action_date"} & row.keys():
            row[name] = instant(row[name])
        if row.get("amount") is not None:
            row["amount"] = Decimal(str(row["amount"]))
        if "additional_contacts" in record:
            row["additional_contact_ids"] = [each["contact_id"] for each in record["additional_contacts"]]
        elif "additional_contact_ids" in record:
            row["additional_contact_ids"] = record["additional_contact_ids"]
        values = record.get("custom_fields", {})
        if values.keys() - self.custom.keys() - archived:
            raise UnknownField(values.keys() - self.custom.keys() - archived)
        for slug, kind in self.custom.items():
            value = values.get(slug)
            if kind == "timestamp":
                value = instant(value)
            elif value is not None and kind == "currency":
                value = Decimal(str(value))
            row[f"custom__{slug}"] = value
        return {**row, "_deleted": None, "_position": position}


# The naming `direct` keeps slugs as they are. By default, `a_` and `ax` would be one column.
NESTING = {"module": "dlt.common.normalizers.json.relational"}
SCHEMA = dlt.Schema("crm", normalizers={"names": "direct", "json": NESTING})


@dlt.source(schema=SCHEMA, max_table_nesting=0)
def crm(read_url: str, api_key: str, page: int = 500) -> Any:
    # raise_for_status is off so that 410 can be told from other errors. 429 and 5xx are repeated, with Retry-After.
    session = requests.Client(raise_for_status=False, request_max_attempts=12).session
    client = RESTClient(read_url, auth=APIKeyAuth(name="x-api-key", api_key=api_key), session=session)

    def get(path: str, **params: Any) -> Any:
        response = client.get(path, params=params)
        if response.status_code == 410:
            raise StartOver(response.json()["message"])
        response.raise_for_status()
        return response

    def copy(object_name: str, plural: str, records: Records, latest: Any) -> Iterator[Any]:
        """All records, not older than the latest position."""
        params: dict[str, Any] = {"limit": page}
        if object_name != "note":
            params["fields"] = ",".join(records.fields)
        if object_name == "opportunity":
            params["pipeline_id"] = "all"
        pages = client.paginate(
            f"v1/{plural}",
            params=params,
            headers={"x-read-after": latest.headers["x-read-after"]},
            data_selector=f"data.{plural}",
            paginator=JSONResponseCursorPaginator(cursor_path="data.next_cursor", cursor_param="cursor"),
        )
        for found in pages:
            found.response.raise_for_status()
            yield [records.row(record, latest.json()["data"]["position"], frozenset()) for record in found]

    def table(object_name: str, plural: str) -> Any:
        def read(state: dict[str, Any]) -> Iterator[Any]:
            records = None

            def with_columns(rows: list[Any]) -> Any:
                return dlt.mark.with_hints(rows, dlt.mark.make_hints(columns=records.columns)) if rows else rows

            def read_schema() -> Records:
                return Records(object_name, get(f"v1/{plural}/schema").json()["data"]["schema"])

            if "position" not in state:
                latest = get("v1/events/latest")
                records = read_schema()
                for rows in copy(object_name, plural, records, latest):
                    yield with_columns(rows)
                data = latest.json()["data"]
                state.update(position=data["position"], log_id=data["log_id"], fields=[*records.custom])
            while True:
                after = f"{state['log_id']}:{state['position']}"
                data = get("v1/events", object=object_name, after=after, limit=page).json()["data"]
                if state["position"] == 0 and data["oldest_position"] > 1:
                    raise StartOver("The first changes have expired")
                if data["events"] and records is None:
                    records = read_schema()
                    # A field that was archived may be back. Its values did not change, so the log does not have them.
                    if not set(state["fields"]) >= set(records.custom):
                        for rows in copy(object_name, plural, records, get("v1/events/latest")):
                            yield with_columns(rows)
                    state["fields"] = [*records.custom]
                rows = []
                for event in data["events"]:
                    if event["record"] is None:
                        rows.append({"id": event["record_id"], "_deleted": True, "_position": event["position"]})
                        continue
                    known = archived(plural, records, event["record"])
                    rows.append(records.row(event["record"], event["position"], known))
                yield with_columns(rows)
                state["position"] = data["next_position"]
                if not data["has_more"]:
                    return

        @dlt.resource(name=plural, primary_key="id", write_disposition="merge")
        def resource() -> Iterator[Any]:
            yield from read(dlt.current.resource_state())

        return resource

    def archived(plural: str, records: Records, record: dict[str, Any]) -> frozenset[str]:
        """The custom fields of a record that the schema leaves out because they are archived."""
        unknown = record.get("custom_fields", {}).keys() - records.custom.keys()
        if not unknown:
            return frozenset()
        fields = get(f"v1/{plural}/fields", include_archived="true", limit=500).json()["data"]["fields"]
        return frozenset(field["name"] for field in fields if field.get("is_active") is False)

    return [table(object_name, plural) for object_name, plural in OBJECTS.items()]


def cause(error: BaseException | None, kind: type[BaseException]) -> BaseException | None:
    while error is not None and not isinstance(error, kind):
        error = error.__cause__ or error.__context__
    return error


def run(pipeline: dlt.Pipeline, read_url: str, api_key: str, page: int) -> None:
    try:
        pipeline.run(crm(read_url, api_key, page))
    except Exception as error:
        if cause(error, UnknownField):
            print("A custom field was defined during the run: running again")
            pipeline.abort_packages()
            pipeline.run(crm(read_url, api_key, page))
        elif expired := cause(error, StartOver):
            print("Starting over:", expired)
            pipeline.abort_packages()
            pipeline.run(crm(read_url, api_key, page), refresh="drop_resources")
        else:
            raise


if __name__ == "__main__":
    target = sys.argv[1] if len(sys.argv) > 1 else "duckdb"
    run(
        dlt.pipeline("crm_copy", destination=target, dataset_name="crm"),
        os.environ["CRM_READ_URL"],
        os.environ["CRM_API_KEY"],
        int(os.environ.get("CRM_PAGE", "500")),
    )
