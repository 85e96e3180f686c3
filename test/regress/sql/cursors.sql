--
-- Cursors: a part of the result, backwards, across commit, with changes below.
--
BEGIN;
DECLARE c CURSOR FOR SELECT i2, count(*) FROM facts GROUP BY i2 ORDER BY i2;
FETCH 2 FROM c;
MOVE 3 IN c;
FETCH 1 FROM c;
MOVE ALL IN c;
FETCH 1 FROM c;
CLOSE c;
COMMIT;

BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT i2, count(*), sum(i4) FROM facts WHERE i2 > 90 GROUP BY i2 ORDER BY i2;
FETCH 2 FROM c;
FETCH LAST FROM c;
FETCH PRIOR FROM c;
FETCH ABSOLUTE 2 FROM c;
FETCH BACKWARD ALL FROM c;
FETCH FIRST FROM c;
FETCH RELATIVE 2 FROM c;
COMMIT;

-- without a sort above it, the order is the engine's; how many is not
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT i2, count(*) FROM facts GROUP BY i2;
MOVE FORWARD ALL IN c;
MOVE BACKWARD ALL IN c;
MOVE 10 IN c;
MOVE BACKWARD 3 IN c;
MOVE FORWARD ALL IN c;
COMMIT;

-- the rows are those of the time the cursor was declared
CREATE TABLE moving (g int, v int);
INSERT INTO moving SELECT i % 4, i FROM generate_series(1, 400) i;
BEGIN;
DECLARE c CURSOR FOR SELECT g, count(*), sum(v) FROM moving GROUP BY g ORDER BY g;
DELETE FROM moving WHERE g < 2;
INSERT INTO moving VALUES (7, 7);
UPDATE moving SET v = 0 WHERE g = 3;
FETCH ALL FROM c;
CLOSE c;
SELECT g, count(*), sum(v) FROM moving GROUP BY g ORDER BY g;
ROLLBACK;

-- holdable: kept at commit, whether begun or not
BEGIN;
DECLARE begun CURSOR WITH HOLD FOR SELECT g, sum(v) FROM moving GROUP BY g ORDER BY g;
DECLARE unbegun CURSOR WITH HOLD FOR SELECT g, count(*) FROM moving GROUP BY g ORDER BY g;
FETCH 1 FROM begun;
COMMIT;
DROP TABLE moving;
FETCH ALL FROM begun;
FETCH ALL FROM unbegun;
CLOSE begun;
CLOSE unbegun;

-- left open in a subtransaction that is rolled back, and at the end
BEGIN;
SAVEPOINT s;
DECLARE c CURSOR FOR SELECT i2, count(*) FROM facts GROUP BY i2;
MOVE 5 IN c;
ROLLBACK TO s;
DECLARE d CURSOR FOR SELECT i2, count(*) FROM facts GROUP BY i2;
MOVE 5 IN d;
COMMIT;

-- several at once
BEGIN;
DECLARE a CURSOR FOR SELECT i2, count(*) FROM facts GROUP BY i2 ORDER BY i2;
DECLARE b CURSOR FOR SELECT i4, count(*) FROM facts GROUP BY i4 ORDER BY i4;
FETCH 1 FROM a;
FETCH 1 FROM b;
FETCH 1 FROM a;
FETCH 1 FROM b;
COMMIT;
