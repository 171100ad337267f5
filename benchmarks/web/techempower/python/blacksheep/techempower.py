"""The web tests on BlackSheep and uvicorn: benchmarks/web/techempower/contract.md."""

from web.techempower.python.blacksheep.application import application
from web.techempower.python.domain.uvicorn_server import serve_on_uvicorn

if __name__ == "__main__":
    serve_on_uvicorn("blacksheep", application)
