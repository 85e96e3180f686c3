/*
 * Jdbc: queries.txt by PostgreSQL's JDBC driver: each of its query modes, as text and binary,
 * with and without a fetch size, prepared by the server from the first execution on.
 */
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.List;
import java.util.Properties;

public class Jdbc {
	static String rows(Connection connection, String query, int fetch) throws Exception {
		StringBuilder all = new StringBuilder();
		try (PreparedStatement statement = connection.prepareStatement(query)) {
			statement.setFetchSize(fetch);
			if (query.contains("?"))
				statement.setInt(1, 100);
			for (int i = 0; i < (query.startsWith("EXPLAIN") ? 1 : 7); i++)
				try (ResultSet result = statement.executeQuery()) {
					while (result.next())
						for (int j = 1; j <= result.getMetaData().getColumnCount(); j++)
							all.append(result.getString(j)).append('|');
				}
		}
		return all.toString();
	}

	static Connection connect(String mode, String queryMode, boolean binary) throws Exception {
		Properties settings = new Properties();
		settings.put("user", System.getenv("PGUSER"));
		settings.put("preferQueryMode", queryMode);
		settings.put("prepareThreshold", binary ? "-1" : "3");
		settings.put("binaryTransfer", String.valueOf(binary));
		settings.put("options", "-c gpuagg.mode=" + mode);
		Connection connection = DriverManager.getConnection(
			"jdbc:postgresql://localhost:" + System.getenv("PGPORT") + "/" + System.getenv("PGDATABASE"), settings);
		connection.setAutoCommit(false);
		return connection;
	}

	public static void main(String[] arguments) throws Exception {
		try {
			Class.forName("org.postgresql.Driver");
		} catch (ClassNotFoundException error) {
			System.err.println("there is no JDBC driver of PostgreSQL");
			System.exit(77);
		}
		List<String> queries = Files.readAllLines(Path.of("queries.txt"));
		for (String queryMode : List.of("simple", "extended", "extendedForPrepared", "extendedCacheEverything"))
			for (boolean binary : new boolean[] {false, true})
				for (int fetch : new int[] {0, 3})
					for (String mode : List.of("off", "force"))
						try (Connection connection = connect(mode, queryMode, binary)) {
							String way = queryMode + (binary ? ", binary" : "") + ", fetch size " + fetch;
							for (int i = 0; i < queries.size(); i++)
								System.out.println(way + "\t" + mode + "\tquery " + (i + 1) + "\t"
									+ rows(connection, queries.get(i).replace("$1", "?"), fetch));
							System.out.println(way + "\t" + mode + "\tplan\t"
								+ rows(connection, "EXPLAIN " + queries.get(0).replace("$1", "100"), 0));
						}
	}
}
