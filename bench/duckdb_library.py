"""DuckDB by its library's C interface, which needs no package of Python's."""

import ctypes
import time


class Result(ctypes.Structure):
    """duckdb_result of duckdb.h, whose members are the library's."""
    _fields_ = [("column_count", ctypes.c_uint64), ("row_count", ctypes.c_uint64), ("rows_changed", ctypes.c_uint64),
                ("columns", ctypes.c_void_p), ("error_message", ctypes.c_void_p), ("internal_data", ctypes.c_void_p)]


class DuckDB:
    """A connection to the database in a file, by the library of that path."""

    def __init__(self, library, path):
        self.library = ctypes.CDLL(library)
        self.library.duckdb_library_version.restype = ctypes.c_char_p
        self.library.duckdb_result_error.restype = ctypes.c_char_p
        self.library.duckdb_value_varchar.restype = ctypes.c_void_p
        self.library.duckdb_value_varchar.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64]
        self.library.duckdb_free.argtypes = [ctypes.c_void_p]
        self.database = ctypes.c_void_p()
        self.connection = ctypes.c_void_p()
        if (self.library.duckdb_open(path.encode(), ctypes.byref(self.database)) != 0
                or self.library.duckdb_connect(self.database, ctypes.byref(self.connection)) != 0):
            raise RuntimeError(f"DuckDB cannot open {path}")

    def connect(self):
        """Another connection to the same database."""
        other = object.__new__(DuckDB)
        other.library, other.database, other.connection = self.library, self.database, ctypes.c_void_p()
        if self.library.duckdb_connect(self.database, ctypes.byref(other.connection)) != 0:
            raise RuntimeError("DuckDB gives no other connection")
        return other

    def version(self):
        return self.library.duckdb_library_version().decode()

    def run(self, sql):
        """Run a statement; the first value of its result as text, and milliseconds."""
        result = Result()
        begun = time.monotonic()
        failed = self.library.duckdb_query(self.connection, sql.encode(), ctypes.byref(result)) != 0
        taken = (time.monotonic() - begun) * 1000
        try:
            if failed:
                raise RuntimeError(self.library.duckdb_result_error(ctypes.byref(result)).decode())
            return self.first_value(result), taken
        finally:
            self.library.duckdb_destroy_result(ctypes.byref(result))

    def first_value(self, result):
        value = self.library.duckdb_value_varchar(ctypes.byref(result), 0, 0)
        if not value:
            return None
        text = ctypes.string_at(value).decode()
        self.library.duckdb_free(value)
        return text
