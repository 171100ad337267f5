use std::time::Duration;

use deadpool_postgres::{Client, Manager, Pool, Runtime, Timeouts};
use futures_util::future::try_join_all;
use rand::Rng;
use runfair_harness::UserError;
use serde::Serialize;
use tokio_postgres::{Config, NoTls, Row, Statement};

use crate::failure::Failure;
use crate::fortunes::{page, Fortune};

const REACH_LIMIT: Duration = Duration::from_secs(10);
const MOST: i32 = 10_000;
const READ: &str = "SELECT id, randomnumber FROM world WHERE id = $1";
const WRITE: &str = "UPDATE world SET randomnumber = v.r \
                     FROM unnest($1::int[], $2::int[]) v(i, r) WHERE id = v.i";
const FORTUNES: &str = "SELECT id, message FROM fortune";

#[derive(Serialize)]
pub struct World {
    id: i32,
    #[serde(rename = "randomNumber")]
    random_number: i32,
}

/// The tables, through a pool of connections.
pub struct Database {
    pool: Pool,
}

impl Database {
    /// With its first connection open.
    pub async fn open(url: &str, connections: usize) -> Result<Self, UserError> {
        let mut config = url.parse::<Config>().map_err(|_| {
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
        match pool.get().await {
            Ok(_) => Ok(Self { pool }),
            Err(error) => Err(cannot_be_reached(Failure::from(error).to_string())),
        }
    }

    pub async fn random(&self) -> Result<World, Failure> {
        let client = self.pool.get().await?;
        let statement = client.prepare_cached(READ).await?;
        random(&client, &statement).await
    }

    /// Rows that are read on one connection.
    pub async fn rows(&self, count: usize) -> Result<Vec<World>, Failure> {
        rows(&self.pool.get().await?, count).await
    }

    /// Written in the order of ids, so that concurrent updates lock rows in the same order.
    pub async fn update(&self, count: usize) -> Result<Vec<World>, Failure> {
        let client = self.pool.get().await?;
        let mut rows = rows(&client, count).await?;
        rows.sort_by_key(|row| row.id);
        for row in &mut rows {
            row.random_number = drawn();
        }
        let ids: Vec<i32> = rows.iter().map(|row| row.id).collect();
        let numbers: Vec<i32> = rows.iter().map(|row| row.random_number).collect();
        let statement = client.prepare_cached(WRITE).await?;
        client.execute(&statement, &[&ids, &numbers]).await?;
        Ok(rows)
    }

    /// The page of the fortunes.
    pub async fn fortunes(&self) -> Result<String, Failure> {
        let client = self.pool.get().await?;
        let statement = client.prepare_cached(FORTUNES).await?;
        let rows = client.query(&statement, &[]).await?;
        let fortune = |row: &Row| -> Result<Fortune, tokio_postgres::Error> {
            Ok(Fortune { id: row.try_get(0)?, message: row.try_get(1)? })
        };
        Ok(page(rows.iter().map(fortune).collect::<Result<_, _>>()?)?)
    }
}

/// Sends all queries before the first answer, each with a Sync of its own.
async fn rows(client: &Client, count: usize) -> Result<Vec<World>, Failure> {
    let statement = client.prepare_cached(READ).await?;
    try_join_all((0..count).map(|_| random(client, &statement))).await
}

async fn random(client: &Client, statement: &Statement) -> Result<World, Failure> {
    let row = client.query_one(statement, &[&drawn()]).await?;
    Ok(World { id: row.try_get(0)?, random_number: row.try_get(1)? })
}

fn drawn() -> i32 {
    rand::rng().random_range(1..=MOST)
}

#[cfg(test)]
mod tests;
