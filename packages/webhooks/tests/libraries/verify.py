"""Prints for each library and case whether the library accepts it."""
import json, sys
import standardwebhooks, svix.webhooks

def accepts(library, case):
    try:
        library.Webhook(case["secret"]).verify(case["body"], case["headers"])
        return True
    except Exception:
        return False

with open(sys.argv[1], encoding="utf-8") as file:
    cases = json.load(file)
libraries = {"standardwebhooks": standardwebhooks, "svix": svix.webhooks}
print(json.dumps({name: [accepts(library, case) for case in cases] for name, library in libraries.items()}))
