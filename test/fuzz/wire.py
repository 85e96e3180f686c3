"""A client of PostgreSQL's protocol 3.0: simple queries over a Unix socket.

Statements are sent ahead and their outcomes read later, so that several
sessions work at the same time and a round trip is not paid per statement.
Values stay text, as the server sends them.
"""
import socket
import struct


class Lost(Exception):
    """The server closed the connection: a crash, most likely."""


class Outcome:
    """What one statement came to: columns and rows, or an error."""

    def __init__(self):
        self.columns = []       # (name, type's Oid, type modifier)
        self.rows = []          # tuples of str or None
        self.error = None       # (SQLSTATE, message)
        self.notices = []       # messages, details included

    def text(self):
        """One line for a human reader."""
        if self.error:
            return 'error %s: %s' % self.error
        return '%d rows' % len(self.rows)


def fields_of(body):
    """Fields of an ErrorResponse or a NoticeResponse, by their letter."""
    return {part[:1].decode(): part[1:].decode('utf-8', 'replace')
            for part in body.split(b'\0') if part}


class Connection:
    def __init__(self, directory, user, database):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(directory + '/.s.PGSQL.5432')
        self.input = self.socket.makefile('rb', 1 << 16)
        names = b''.join(n.encode() + b'\0' for n in
                         ('user', user, 'database', database, 'client_encoding', 'UTF8'))
        body = struct.pack('!i', 3 << 16) + names + b'\0'
        self.socket.sendall(struct.pack('!i', len(body) + 4) + body)
        self.receive()

    def close(self):
        self.socket.close()

    def send(self, sql):
        body = sql.encode() + b'\0'
        try:
            self.socket.sendall(b'Q' + struct.pack('!i', len(body) + 4) + body)
        except OSError as e:
            raise Lost(str(e))

    def receive(self):
        """The Outcome of the next statement sent."""
        outcome = Outcome()
        while True:
            head = self.read(5)
            kind, body = head[:1], self.read(struct.unpack('!i', head[1:])[0] - 4)
            if kind == b'Z':
                return outcome
            if kind == b'T':
                outcome.columns = list(self.columns(body))
            elif kind == b'D':
                outcome.rows.append(self.row(body))
            elif kind == b'E':
                fields = fields_of(body)
                outcome.error = (fields['C'], fields['M'])
            elif kind == b'N':
                fields = fields_of(body)
                outcome.notices.append(' '.join(fields[f] for f in 'MD' if f in fields))

    def query(self, sql):
        self.send(sql)
        return self.receive()

    def read(self, length):
        try:
            data = self.input.read(length)
        except OSError as e:
            raise Lost(str(e))
        if len(data) < length:
            raise Lost('connection closed')
        return data

    @staticmethod
    def columns(body):
        at = 2
        for _ in range(struct.unpack_from('!h', body)[0]):
            end = body.index(b'\0', at)
            _, _, oid, _, modifier, _ = struct.unpack_from('!ihihih', body, end + 1)
            yield body[at:end].decode(), oid, modifier
            at = end + 19

    @staticmethod
    def row(body):
        at, values = 2, []
        for _ in range(struct.unpack_from('!h', body)[0]):
            length = struct.unpack_from('!i', body, at)[0]
            at += 4
            if length < 0:
                values.append(None)
            else:
                values.append(body[at:at + length].decode('utf-8', 'replace'))
                at += length
        return tuple(values)
