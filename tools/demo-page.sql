-- The demonstration's page, as one file without anything from elsewhere: for each
-- question what it costs by which plan, and what the answer looks like.
SELECT '<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>gpuagg: the flights of January 2001</title>
<style>
body { font: 15px/1.45 sans-serif; color: #222; background: #f4f5f7; margin: 0 auto; max-width: 60em; padding: 1.5em; }
section { background: #fff; border: 1px solid #ddd; border-radius: 6px; margin: 1.2em 0; padding: 0.4em 1.4em 1.2em; }
h1, h2 { font-weight: 600; }
h2 { font-size: 1.15em; }
pre { background: #f4f5f7; padding: 0.7em; overflow-x: auto; font-size: 0.85em; }
.time { display: flex; align-items: center; margin: 0.25em 0; }
.time span { flex: 0 0 13em; }
.time i { height: 1.1em; background: #7a8ba3; margin-right: 0.6em; min-width: 2px; }
.time.gpuagg i { background: #c1440e; }
.columns { display: flex; align-items: flex-end; height: 11em; gap: 3px; margin-top: 1.4em; }
.columns div { flex: 1; display: flex; flex-direction: column; justify-content: flex-end; height: 100%; font-size: 0.62em; text-align: center; }
.columns i { background: #2f6f9f; }
.columns span { height: 2.8em; line-height: 1.2; overflow-wrap: anywhere; overflow: hidden; }
</style>
<h1>gpuagg: the flights of January 2001</h1>';

SELECT format('<p>%s flights, asked of PostgreSQL %s and gpuagg %s on one machine. Times are medians, of planning and execution; each answer was compared with that of PostgreSQL''s own plan.</p>',
	to_char(count(*), 'FM999,999'), current_setting('server_version_num')::int / 10000, gpuagg_version()) FROM flights;

CREATE FUNCTION pg_temp.html(text) RETURNS text LANGUAGE sql AS
$$ SELECT replace(replace(replace($1, '&', '&amp;'), '<', '&lt;'), '>', '&gt;') $$;

SELECT '<section><h2>' || number || '. ' || pg_temp.html(title) || '</h2>' || E'\n' ||
	(SELECT string_agg(format('<div class="time%s"><span>%s</span><i style="width:%s%%"></i>%s ms%s</div>',
			CASE WHEN gain IS NOT NULL THEN ' gpuagg' END, label, round(50 * ms / max, 1), to_char(ms, 'FM9990.0'),
			', ' || gain || ' times as fast'), E'\n' ORDER BY configuration)
		FROM demo_times, (SELECT max(ms) FROM demo_times WHERE question = number) m WHERE question = number) || E'\n' ||
	'<div class="columns" title="' || chart || '">' ||
	(SELECT string_agg(format('<div title="%s: %s"><i style="height:%s%%"></i><span>%s</span></div>',
			pg_temp.html(label), value, round(80 * greatest(value, 0) / max, 1), pg_temp.html(label)), E'\n' ORDER BY n)
		FROM demo_bars, (SELECT max(value) FROM demo_bars WHERE question = number) m WHERE question = number) || '</div>' || E'\n' ||
	'<p>' || chart || ' (the first ' || (SELECT count(*) FROM demo_bars WHERE question = number) || ' rows)</p>' || E'\n' ||
	'<pre>' || pg_temp.html(query) || '</pre></section>'
FROM demo_questions ORDER BY number;

SELECT '</html>';
