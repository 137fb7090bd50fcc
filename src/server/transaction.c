/*
 * transaction.c
 *		The transactions of a background worker (see transaction.h).
 */
#include "transaction.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "sql.h"

static Oid	role_of_transactions;

void
transaction_role(Oid role)
{
	role_of_transactions = role;
}

/* A transaction must begin as the login role, and resets the role when it aborts. */
static void
take_role(void)
{
	Oid			login;
	int			security;

	GetUserIdAndSecContext(&login, &security);
	if (role_of_transactions != login)
		SetUserIdAndSecContext(role_of_transactions, security | SECURITY_LOCAL_USERID_CHANGE);
}

void
transaction_begin(void)
{
	MemoryContext context = CurrentMemoryContext;

	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	take_role();
	PushActiveSnapshot(GetTransactionSnapshot());
	MemoryContextSwitchTo(context);
	sql_begin();
}

void
transaction_roll_back(void)
{
	MemoryContext context = CurrentMemoryContext;

	sql_end();
	AbortCurrentTransaction();
	SetUserIdAndSecContext(GetSessionUserId(), 0);
	MemoryContextSwitchTo(context);
}

void
transaction_end(void)
{
	MemoryContext context = CurrentMemoryContext;

	sql_end();
	PopActiveSnapshot();
	CommitTransactionCommand();
	SetUserIdAndSecContext(GetSessionUserId(), 0);
	MemoryContextSwitchTo(context);
	pgstat_report_stat(true);
}
