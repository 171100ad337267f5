use std::fmt;
use std::time::Duration;

use deadpool_postgres::{Manager, Pool, PoolError, Runtime, Timeouts};
use payments_domain::{Order, QUERY};
use runfair_harness::UserError;
use tokio_postgres::{Config, NoTls};

const REACH_LIMIT: Duration = Duration::from_secs(10);

/// The orders of the database, through a pool of connections.
pub struct Orders {
    pool: Pool,
}

/// What the pool or the database says went wrong.
pub struct OrdersError(PoolError);

impl Orders {
    /// With its first connection open.
    pub async fn open(database: &str, connections: usize) -> Result<Self, UserError> {
        let mut config = database.parse::<Config>().map_err(|_| {
            let form = "postgresql://USER[:PASSWORD]@HOST:PORT/NAME";
            UserError(format!("DATABASE_URL takes {form}; this is none"))
        })?;
        config.connect_timeout(REACH_LIMIT);
        let cannot_be_reached =
            |reason: String| UserError(format!("DATABASE_URL cannot be reached: {reason:?}"));
        let pool = Pool::builder(Manager::new(config, NoTls))
            .max_size(connections)
            .runtime(Runtime::Tokio1)
            .timeouts(Timeouts { create: Some(REACH_LIMIT), ..Timeouts::default() })
            .build()
            .map_err(|error| cannot_be_reached(error.to_string()))?;
        let orders = Self { pool };
        match orders.pool.get().await {
            Ok(_) => Ok(orders),
            Err(error) => Err(cannot_be_reached(OrdersError(error).to_string())),
        }
    }

    /// Reads one row, by a statement that is prepared once a connection.
    pub async fn find(&self, id: i64) -> Result<Option<Order>, OrdersError> {
        let client = self.pool.get().await?;
        let statement = client.prepare_cached(QUERY).await?;
        let row = client.query_opt(&statement, &[&id]).await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(Order {
            id: row.try_get(0)?,
            customer: row.try_get(1)?,
            status: row.try_get(2)?,
            amount: row.try_get(3)?,
            note: row.try_get(4)?,
        }))
    }
}

impl<E: Into<PoolError>> From<E> for OrdersError {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl fmt::Display for OrdersError {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        // A crate's own text says where; its causes say what.
        let mut cause: Option<&dyn std::error::Error> = Some(&self.0);
        let mut separator = "";
        while let Some(error) = cause {
            write!(out, "{separator}{error}")?;
            separator = ": ";
            cause = error.source();
        }
        Ok(())
    }
}
