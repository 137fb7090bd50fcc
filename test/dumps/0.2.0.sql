--
-- PostgreSQL database dump
--


-- Dumped from database version 15.20 (Debian 15.20-0+deb12u1)
-- Dumped by pg_dump version 15.20 (Debian 15.20-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: g; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA g;


--
-- Name: SCHEMA g; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON SCHEMA g IS 'a knowledge graph of hybridkg';


--
-- Name: facts_changed(); Type: FUNCTION; Schema: g; Owner: -
--

CREATE FUNCTION g.facts_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
	begin
		if pg_catalog.to_regproc('pg_catalog.hkg_facts_changed') is not null then
			perform pg_catalog.hkg_facts_changed(tg_relid);
		end if;
		return null;
	end
	$$;


--
-- Name: FUNCTION facts_changed(); Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON FUNCTION g.facts_changed() IS 'trigger: has every session read the facts again';


--
-- Name: model_changed(); Type: FUNCTION; Schema: g; Owner: -
--

CREATE FUNCTION g.model_changed() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
	begin
		execute format('update %I.model set name = name', tg_table_schema) || case tg_op
			when 'TRUNCATE' then ''
			when 'UPDATE' then ' where name in (select model from changed union select model from changed_from)'
			else ' where name in (select model from changed)' end;
		return null;
	end
	$$;


--
-- Name: FUNCTION model_changed(); Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON FUNCTION g.model_changed() IS 'trigger: has every session read a model again';


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: checkpoint; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.checkpoint (
    model text NOT NULL COLLATE pg_catalog."C",
    part text NOT NULL,
    number integer NOT NULL,
    data bytea NOT NULL,
    checksum bigint NOT NULL
);
ALTER TABLE ONLY g.checkpoint ALTER COLUMN data SET STORAGE EXTERNAL;


--
-- Name: TABLE checkpoint; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.checkpoint IS 'the state of a background training, for hkg_resume; empty when it is done';


--
-- Name: COLUMN checkpoint.model; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.checkpoint.model IS 'model.name';


--
-- Name: COLUMN checkpoint.part; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.checkpoint.part IS 'what data holds';


--
-- Name: COLUMN checkpoint.number; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.checkpoint.number IS 'the number of the piece';


--
-- Name: COLUMN checkpoint.data; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.checkpoint.data IS 'one piece';


--
-- Name: COLUMN checkpoint.checksum; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.checkpoint.checksum IS 'of the piece, its part and its number';


--
-- Name: checkpoint_inferred; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.checkpoint_inferred (
    model text NOT NULL COLLATE pg_catalog."C",
    iteration integer NOT NULL,
    head integer NOT NULL,
    relation integer NOT NULL,
    tail integer NOT NULL,
    score double precision NOT NULL,
    probability double precision NOT NULL,
    rules integer[] NOT NULL
);


--
-- Name: TABLE checkpoint_inferred; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.checkpoint_inferred IS 'rows of inferred that a background training will leave';


--
-- Name: COLUMN checkpoint_inferred.model; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.checkpoint_inferred.model IS 'model.name';


--
-- Name: COLUMN checkpoint_inferred.iteration; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.checkpoint_inferred.iteration IS 'the iteration that drew it';


--
-- Name: COLUMN checkpoint_inferred.head; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.checkpoint_inferred.head IS 'entity.id';


--
-- Name: COLUMN checkpoint_inferred.relation; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.checkpoint_inferred.relation IS 'relation.id';


--
-- Name: COLUMN checkpoint_inferred.tail; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.checkpoint_inferred.tail IS 'entity.id';


--
-- Name: COLUMN checkpoint_inferred.score; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.checkpoint_inferred.score IS 'the score when drawn';


--
-- Name: COLUMN checkpoint_inferred.probability; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.checkpoint_inferred.probability IS 'its probability to be the first one drawn';


--
-- Name: COLUMN checkpoint_inferred.rules; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.checkpoint_inferred.rules IS 'rule.id of the rules that infer it';


--
-- Name: entity; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.entity (
    id integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT entity_id_check CHECK ((id >= 0)),
    CONSTRAINT entity_name_check CHECK ((name <> ''::text))
);


--
-- Name: TABLE entity; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.entity IS 'the nodes of the graph';


--
-- Name: COLUMN entity.id; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.entity.id IS 'its number in other tables';


--
-- Name: COLUMN entity.name; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.entity.name IS 'its name';


--
-- Name: entity_embedding; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.entity_embedding (
    model text NOT NULL COLLATE pg_catalog."C",
    entity integer NOT NULL,
    embedding real[] NOT NULL
);
ALTER TABLE ONLY g.entity_embedding ALTER COLUMN embedding SET STORAGE EXTERNAL;


--
-- Name: TABLE entity_embedding; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.entity_embedding IS 'embeddings of entities';


--
-- Name: COLUMN entity_embedding.model; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.entity_embedding.model IS 'model.name';


--
-- Name: COLUMN entity_embedding.entity; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.entity_embedding.entity IS 'entity.id';


--
-- Name: COLUMN entity_embedding.embedding; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.entity_embedding.embedding IS 'd numbers; complex and rotate: d real parts, then d imaginary parts; conve: d numbers and a bias';


--
-- Name: entity_id_seq; Type: SEQUENCE; Schema: g; Owner: -
--

ALTER TABLE g.entity ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME g.entity_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: evidence_weight; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.evidence_weight (
    model text NOT NULL COLLATE pg_catalog."C",
    relation integer NOT NULL,
    side text NOT NULL COLLATE pg_catalog."C",
    scale double precision NOT NULL,
    weight double precision NOT NULL,
    questions bigint NOT NULL,
    held_out double precision,
    calibration jsonb,
    paths double precision,
    CONSTRAINT evidence_weight_side_check CHECK ((side = ANY (ARRAY['head'::text, 'tail'::text])))
);


--
-- Name: TABLE evidence_weight; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.evidence_weight IS 'how evidence adds to a score, scale * (embedding''s score + weight * evidence), and how scores become probabilities';


--
-- Name: COLUMN evidence_weight.model; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.evidence_weight.model IS 'model.name';


--
-- Name: COLUMN evidence_weight.relation; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.evidence_weight.relation IS 'relation.id';


--
-- Name: COLUMN evidence_weight.side; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.evidence_weight.side IS 'the side that is asked for: head or tail';


--
-- Name: COLUMN evidence_weight.scale; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.evidence_weight.scale IS 'makes scores of all relations comparable';


--
-- Name: COLUMN evidence_weight.weight; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.evidence_weight.weight IS 'of evidence beside the embedding''s score';


--
-- Name: COLUMN evidence_weight.questions; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.evidence_weight.questions IS 'how many questions they were learnt from';


--
-- Name: COLUMN evidence_weight.held_out; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.evidence_weight.held_out IS 'the share of the relation''s known facts that was held out';


--
-- Name: COLUMN evidence_weight.calibration; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.evidence_weight.calibration IS 'for each kind of score: slope, best, last, unanswered, answers and intercept, or choice and odd in place of best and last, are a, b, c, d, e, f, g and o of doc/method.md, "Probabilities"; most: no probability is above; most_odds: the most that rho is; null: that of table model';


--
-- Name: COLUMN evidence_weight.paths; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.evidence_weight.paths IS 'evidence is that of rules + paths * the path network''s score; null: 0.7';


--
-- Name: facts_version; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.facts_version (
    number bigint NOT NULL
)
WITH (fillfactor='50');

ALTER TABLE ONLY g.facts_version REPLICA IDENTITY FULL;


--
-- Name: TABLE facts_version; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.facts_version IS 'for sessions, to see whether their copies of the facts are right: hkg_facts_changed puts another number here when facts change';


--
-- Name: COLUMN facts_version.number; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.facts_version.number IS 'random; another one for each transaction that writes facts';


--
-- Name: holdout; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.holdout (
    split text NOT NULL COLLATE pg_catalog."C",
    head integer NOT NULL,
    relation integer NOT NULL,
    tail integer NOT NULL,
    CONSTRAINT holdout_split_check CHECK ((split = ANY (ARRAY['valid'::text, 'test'::text])))
);


--
-- Name: TABLE holdout; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.holdout IS 'facts held out: valid chooses the best iteration and calibrates probabilities, test measures';


--
-- Name: COLUMN holdout.split; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.holdout.split IS 'valid or test';


--
-- Name: COLUMN holdout.head; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.holdout.head IS 'entity.id';


--
-- Name: COLUMN holdout.relation; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.holdout.relation IS 'relation.id';


--
-- Name: COLUMN holdout.tail; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.holdout.tail IS 'entity.id';


--
-- Name: inferred; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.inferred (
    model text NOT NULL COLLATE pg_catalog."C",
    iteration integer NOT NULL,
    head integer NOT NULL,
    relation integer NOT NULL,
    tail integer NOT NULL,
    score double precision NOT NULL,
    probability double precision NOT NULL,
    rules integer[] NOT NULL
);


--
-- Name: TABLE inferred; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.inferred IS 'the inferences of the selected rules that were sampled, iteration by iteration';


--
-- Name: COLUMN inferred.model; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.inferred.model IS 'model.name';


--
-- Name: COLUMN inferred.iteration; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.inferred.iteration IS 'the iteration that drew it';


--
-- Name: COLUMN inferred.head; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.inferred.head IS 'entity.id';


--
-- Name: COLUMN inferred.relation; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.inferred.relation IS 'relation.id';


--
-- Name: COLUMN inferred.tail; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.inferred.tail IS 'entity.id';


--
-- Name: COLUMN inferred.score; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.inferred.score IS 'the score when drawn';


--
-- Name: COLUMN inferred.probability; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.inferred.probability IS 'its probability to be drawn first';


--
-- Name: COLUMN inferred.rules; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.inferred.rules IS 'rule.id of the rules that infer it';


--
-- Name: iteration; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.iteration (
    model text NOT NULL COLLATE pg_catalog."C",
    number integer NOT NULL,
    loss double precision NOT NULL,
    mrr double precision,
    hits_1 double precision,
    hits_3 double precision,
    hits_10 double precision,
    rules integer NOT NULL,
    inferred bigint NOT NULL,
    sampled bigint NOT NULL,
    train_seconds double precision NOT NULL,
    mine_seconds double precision NOT NULL,
    sample_seconds double precision NOT NULL,
    evaluate_seconds double precision NOT NULL,
    ranked bigint,
    mrr_error double precision
);


--
-- Name: TABLE iteration; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.iteration IS 'the learning curve of the latest training: a row for each iteration';


--
-- Name: COLUMN iteration.model; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.iteration.model IS 'model.name';


--
-- Name: COLUMN iteration.number; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.iteration.number IS '1 first';


--
-- Name: COLUMN iteration.loss; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.iteration.loss IS 'mean training loss of its last epoch';


--
-- Name: COLUMN iteration.mrr; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.iteration.mrr IS 'filtered, on valid or held-out facts; null if there are none';


--
-- Name: COLUMN iteration.hits_1; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.iteration.hits_1 IS 'likewise';


--
-- Name: COLUMN iteration.hits_3; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.iteration.hits_3 IS 'likewise';


--
-- Name: COLUMN iteration.hits_10; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.iteration.hits_10 IS 'likewise';


--
-- Name: COLUMN iteration.rules; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.iteration.rules IS 'rules selected';


--
-- Name: COLUMN iteration.inferred; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.iteration.inferred IS 'triples that they infer beyond the facts';


--
-- Name: COLUMN iteration.sampled; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.iteration.sampled IS 'inferences that were drawn';


--
-- Name: COLUMN iteration.train_seconds; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.iteration.train_seconds IS 'time for epochs';


--
-- Name: COLUMN iteration.mine_seconds; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.iteration.mine_seconds IS 'time for rules and their quality';


--
-- Name: COLUMN iteration.sample_seconds; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.iteration.sample_seconds IS 'time for inferring and drawing';


--
-- Name: COLUMN iteration.evaluate_seconds; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.iteration.evaluate_seconds IS 'time for metrics';


--
-- Name: COLUMN iteration.ranked; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.iteration.ranked IS 'triples that were ranked';


--
-- Name: COLUMN iteration.mrr_error; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.iteration.mrr_error IS 'standard error of mrr if a sample was ranked, else null';


--
-- Name: layout; Type: VIEW; Schema: g; Owner: -
--

CREATE VIEW g.layout AS
 SELECT 2 AS version;


--
-- Name: VIEW layout; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON VIEW g.layout IS 'the version of these tables, which every function checks; see hkg_upgrade_graph';


--
-- Name: COLUMN layout.version; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.layout.version IS '1 first';


--
-- Name: model; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.model (
    name text NOT NULL COLLATE pg_catalog."C",
    score_function text,
    dimensions integer,
    settings jsonb NOT NULL,
    status text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    trained_at timestamp with time zone,
    best_iteration integer,
    evidence jsonb,
    mrr double precision,
    hits_1 double precision,
    hits_3 double precision,
    hits_10 double precision,
    paths jsonb,
    CONSTRAINT model_name_check CHECK ((name <> ''::text))
);


--
-- Name: TABLE model; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.model IS 'trained models, and models of imported rules';


--
-- Name: COLUMN model.name; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.model.name IS 'default, unless the training names another one';


--
-- Name: COLUMN model.score_function; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.model.score_function IS 'null: a model of imported rules, without embeddings';


--
-- Name: COLUMN model.dimensions; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.model.dimensions IS 'size of an embedding';


--
-- Name: COLUMN model.settings; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.model.settings IS 'every argument of the training';


--
-- Name: COLUMN model.status; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.model.status IS 'ready, training, cancelled, or failed: and the reason, of the latest background training; until it is ready, the previous or an early one answers';


--
-- Name: COLUMN model.created_at; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.model.created_at IS 'when its training began';


--
-- Name: COLUMN model.trained_at; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.model.trained_at IS 'when it was ready; null before';


--
-- Name: COLUMN model.best_iteration; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.model.best_iteration IS 'the iteration that is kept: the best by filtered MRR on valid or held-out facts, or the last if there are none';


--
-- Name: COLUMN model.evidence; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.model.evidence IS 'discount: the weight of each further rule that infers the same candidate, 0 to 1, for rules and for all; calibration: that of all relations together; error: its expected calibration error; held_out: the share of the known facts that was held out; assume_missing, and fitted_missing, which probabilities were fitted with; null: no evidence';


--
-- Name: COLUMN model.mrr; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.model.mrr IS 'filtered, of that iteration, by the embedding alone';


--
-- Name: COLUMN model.hits_1; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.model.hits_1 IS 'likewise';


--
-- Name: COLUMN model.hits_3; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.model.hits_3 IS 'likewise';


--
-- Name: COLUMN model.hits_10; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.model.hits_10 IS 'likewise';


--
-- Name: COLUMN model.paths; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.model.paths IS 'layers, width and kept of its path network, how many members it has, and how many best answers are asked in reverse (1: none is); null: there is none';


--
-- Name: path_epoch; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.path_epoch (
    model text NOT NULL COLLATE pg_catalog."C",
    number integer NOT NULL,
    loss double precision NOT NULL,
    mrr double precision,
    hits_1 double precision,
    hits_3 double precision,
    hits_10 double precision,
    ranked bigint,
    mrr_error double precision,
    train_seconds double precision NOT NULL,
    evaluate_seconds double precision NOT NULL
);


--
-- Name: TABLE path_epoch; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.path_epoch IS 'the learning curve of the path network of the latest training: a row for each epoch';


--
-- Name: COLUMN path_epoch.model; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.path_epoch.model IS 'model.name';


--
-- Name: COLUMN path_epoch.number; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.path_epoch.number IS '1 first; those of a second member follow the first''s';


--
-- Name: COLUMN path_epoch.loss; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.path_epoch.loss IS 'mean loss of a question';


--
-- Name: COLUMN path_epoch.mrr; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.path_epoch.mrr IS 'filtered, by the network alone, on valid or held-out facts';


--
-- Name: COLUMN path_epoch.hits_1; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.path_epoch.hits_1 IS 'likewise';


--
-- Name: COLUMN path_epoch.hits_3; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.path_epoch.hits_3 IS 'likewise';


--
-- Name: COLUMN path_epoch.hits_10; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.path_epoch.hits_10 IS 'likewise';


--
-- Name: COLUMN path_epoch.ranked; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.path_epoch.ranked IS 'triples that were ranked: 200 at most';


--
-- Name: COLUMN path_epoch.mrr_error; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.path_epoch.mrr_error IS 'standard error of mrr if not all triples were ranked, else null';


--
-- Name: COLUMN path_epoch.train_seconds; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.path_epoch.train_seconds IS 'time for questions';


--
-- Name: COLUMN path_epoch.evaluate_seconds; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.path_epoch.evaluate_seconds IS 'time for metrics';


--
-- Name: path_network; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.path_network (
    model text NOT NULL COLLATE pg_catalog."C",
    member integer NOT NULL,
    layer integer NOT NULL,
    part text NOT NULL,
    relation integer,
    inverse boolean,
    numbers real[] NOT NULL
);


--
-- Name: TABLE path_network; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.path_network IS 'the parameters of the network that reads paths; doc/method.md, "Learnt paths", defines them';


--
-- Name: COLUMN path_network.model; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.path_network.model IS 'model.name';


--
-- Name: COLUMN path_network.member; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.path_network.member IS '1 first; the members of a network answer together';


--
-- Name: COLUMN path_network.layer; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.path_network.layer IS '1 first; 0: of no layer';


--
-- Name: COLUMN path_network.part; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.path_network.part IS 'start: s_q; readout: omega and b_omega; scale, shift: u and v; attend_atom, attend_asked, attend_state, attend: c, d, W transposed, and w with b; map: A and B transposed and side by side; level, bias: lambda and beta; keep: C transposed; priority: pi with b_p';


--
-- Name: COLUMN path_network.relation; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.path_network.relation IS 'relation.id of the atom; null: the atom from an entity to itself, or no atom';


--
-- Name: COLUMN path_network.inverse; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.path_network.inverse IS 'whether the atom is read backwards';


--
-- Name: COLUMN path_network.numbers; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.path_network.numbers IS 'the numbers of one row of the part';


--
-- Name: rejected; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.rejected (
    head integer NOT NULL,
    relation integer NOT NULL,
    tail integer NOT NULL,
    reason text,
    rejected_by text DEFAULT SESSION_USER NOT NULL,
    rejected_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: TABLE rejected; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.rejected IS 'triples that a reviewer found to be false: no list of answers has them';


--
-- Name: COLUMN rejected.head; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rejected.head IS 'entity.id';


--
-- Name: COLUMN rejected.relation; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rejected.relation IS 'relation.id';


--
-- Name: COLUMN rejected.tail; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rejected.tail IS 'entity.id';


--
-- Name: COLUMN rejected.reason; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rejected.reason IS 'as given to hkg_reject';


--
-- Name: COLUMN rejected.rejected_by; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rejected.rejected_by IS 'the role of the session';


--
-- Name: COLUMN rejected.rejected_at; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rejected.rejected_at IS 'when';


--
-- Name: relation; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.relation (
    id integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    head_types text[],
    tail_types text[],
    CONSTRAINT relation_name_check CHECK ((name <> ''::text))
);


--
-- Name: TABLE relation; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.relation IS 'relations: the kinds of facts';


--
-- Name: COLUMN relation.id; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.relation.id IS 'its number in other tables';


--
-- Name: COLUMN relation.name; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.relation.name IS 'its name';


--
-- Name: COLUMN relation.head_types; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.relation.head_types IS 'types of heads in answers: entities that stand, among the facts, on this side, or on one whose types are all among these; empty: on this side; null: all. hkg_sync writes them in a graph of tables';


--
-- Name: COLUMN relation.tail_types; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.relation.tail_types IS 'likewise, of tails';


--
-- Name: relation_embedding; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.relation_embedding (
    model text NOT NULL COLLATE pg_catalog."C",
    relation integer NOT NULL,
    embedding real[] NOT NULL,
    reciprocal real[]
);
ALTER TABLE ONLY g.relation_embedding ALTER COLUMN embedding SET STORAGE EXTERNAL;
ALTER TABLE ONLY g.relation_embedding ALTER COLUMN reciprocal SET STORAGE EXTERNAL;


--
-- Name: TABLE relation_embedding; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.relation_embedding IS 'embeddings of relations';


--
-- Name: COLUMN relation_embedding.model; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.relation_embedding.model IS 'model.name';


--
-- Name: COLUMN relation_embedding.relation; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.relation_embedding.relation IS 'relation.id';


--
-- Name: COLUMN relation_embedding.embedding; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.relation_embedding.embedding IS 'd numbers; complex: d real, then d imaginary parts; rotate: d phases in radians; rescal: a matrix of d x d, row by row';


--
-- Name: COLUMN relation_embedding.reciprocal; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.relation_embedding.reciprocal IS 'likewise, of the relation''s inverse; null without setting reciprocal';


--
-- Name: relation_id_seq; Type: SEQUENCE; Schema: g; Owner: -
--

ALTER TABLE g.relation ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME g.relation_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: rule; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.rule (
    model text NOT NULL COLLATE pg_catalog."C",
    id integer NOT NULL,
    rule text NOT NULL,
    head integer NOT NULL,
    body integer[] NOT NULL,
    support bigint,
    body_size bigint,
    pca_body_size bigint,
    predictions bigint,
    head_coverage double precision,
    standard_confidence double precision,
    pca_confidence double precision,
    embedding_confidence double precision,
    quality double precision,
    selected boolean NOT NULL,
    evidence_support bigint,
    evidence_body_size bigint,
    evidence_error double precision,
    evidence_confidence double precision,
    worth double precision,
    CONSTRAINT rule_counted_or_evidence CHECK (((support IS NOT NULL) OR ((evidence_support IS NOT NULL) AND (evidence_confidence IS NOT NULL) AND (embedding_confidence IS NULL) AND (quality IS NULL) AND (NOT selected)))),
    CONSTRAINT rule_counts_complete CHECK ((num_nonnulls(support, body_size, pca_body_size, predictions, head_coverage, standard_confidence, pca_confidence) = ANY (ARRAY[0, 7]))),
    CONSTRAINT rule_evidence_complete CHECK ((num_nonnulls(evidence_support, evidence_body_size, evidence_error) = ANY (ARRAY[0, 3])))
);


--
-- Name: TABLE rule; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.rule IS 'mined rules above the bounds, imported rules, and path rules that are evidence at prediction';


--
-- Name: COLUMN rule.model; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rule.model IS 'model.name';


--
-- Name: COLUMN rule.id; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rule.id IS 'its number in the model';


--
-- Name: COLUMN rule.rule; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rule.rule IS 'its text: head <= body';


--
-- Name: COLUMN rule.head; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rule.head IS 'relation.id of the head';


--
-- Name: COLUMN rule.body; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rule.body IS 'for each atom: relation, first and second term; -1 is X, -2 is Y, -3 is A, ..., 0 or more an entity; relation -1: the first term equals the second, an entity in the head';


--
-- Name: COLUMN rule.support; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rule.support IS 'facts that it infers; null, with all counts up to pca_confidence, for a rule that is evidence alone';


--
-- Name: COLUMN rule.body_size; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rule.body_size IS 'pairs (x, y) for which the body holds';


--
-- Name: COLUMN rule.pca_body_size; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rule.pca_body_size IS 'those of them that PCA confidence counts';


--
-- Name: COLUMN rule.predictions; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rule.predictions IS 'pairs for which the body holds and that are not facts';


--
-- Name: COLUMN rule.head_coverage; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rule.head_coverage IS 'support / facts of the head relation';


--
-- Name: COLUMN rule.standard_confidence; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rule.standard_confidence IS 'support / body_size';


--
-- Name: COLUMN rule.pca_confidence; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rule.pca_confidence IS 'support / pca_body_size';


--
-- Name: COLUMN rule.embedding_confidence; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rule.embedding_confidence IS 'mean of sigma(score) over the predictions; null: there are none, or it is not needed';


--
-- Name: COLUMN rule.quality; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rule.quality IS '(1 - omega) * standard_confidence + omega * embedding_confidence; null: not needed';


--
-- Name: COLUMN rule.selected; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rule.selected IS 'whether inferences are sampled from it, or it was imported';


--
-- Name: COLUMN rule.evidence_support; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rule.evidence_support IS 'of a path rule: facts among the next pairs; null for other rules';


--
-- Name: COLUMN rule.evidence_body_size; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rule.evidence_body_size IS 'pairs that a path over different entities connects';


--
-- Name: COLUMN rule.evidence_error; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rule.evidence_error IS 'standard error of their ratio if pairs were sampled; 0: all were counted';


--
-- Name: COLUMN rule.evidence_confidence; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rule.evidence_confidence IS 'confidence as evidence at prediction: evidence_support / (evidence_body_size + 5) - evidence_error, or of another selected rule support / (body_size + 5); null: no evidence';


--
-- Name: COLUMN rule.worth; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.rule.worth IS 'its part in learning embeddings: quality (sampled), rule_weight * pca_confidence (ruge), score as an axiom (itere) or weight (plogicnet)';


--
-- Name: shared_weight; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.shared_weight (
    model text NOT NULL COLLATE pg_catalog."C",
    number integer NOT NULL,
    weights real[] NOT NULL
);
ALTER TABLE ONLY g.shared_weight ALTER COLUMN weights SET STORAGE EXTERNAL;


--
-- Name: TABLE shared_weight; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.shared_weight IS 'the weights of the network of conve; doc/method.md, "A convolutional network", defines them';


--
-- Name: COLUMN shared_weight.model; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.shared_weight.model IS 'model.name';


--
-- Name: COLUMN shared_weight.number; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.shared_weight.number IS '1 first: the rows of the matrix W2, by places, then filters; then all other weights one after the other: W1 by numbers, then filters; u, s, m, v of norm_0; all u, all s, all m, all v of norm_f, then of norm_j; 0 fills the last row';


--
-- Name: COLUMN shared_weight.weights; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.shared_weight.weights IS 'd numbers';


--
-- Name: source; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.source (
    id integer DEFAULT 1 NOT NULL,
    query text NOT NULL,
    CONSTRAINT source_id_check CHECK ((id = 1))
);


--
-- Name: TABLE source; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.source IS 'the query that hkg_sync(graph) repeats, in its only row';


--
-- Name: COLUMN source.id; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.source.id IS '1';


--
-- Name: COLUMN source.query; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.source.query IS 'it returns head, relation and tail; hkg_sync(..., keep => true) wrote it';


--
-- Name: source_column; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.source_column (
    table_name text NOT NULL,
    column_name name NOT NULL,
    part name DEFAULT ''::name NOT NULL,
    reading text NOT NULL,
    relation text,
    space text,
    bins text[],
    why text,
    CONSTRAINT source_column_reading_check CHECK ((reading = ANY (ARRAY['key'::text, 'label'::text, 'reference'::text, 'link'::text, 'category'::text, 'flag'::text, 'number'::text, 'time'::text, 'list'::text, 'text'::text, 'ignored'::text])))
);


--
-- Name: TABLE source_column; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.source_column IS 'what becomes of each of their columns, likewise: the result of hkg_set_source, and bins of numbers';


--
-- Name: COLUMN source_column.table_name; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.source_column.table_name IS 'source_table.table_name';


--
-- Name: COLUMN source_column.column_name; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.source_column.column_name IS 'the column';


--
-- Name: COLUMN source_column.part; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.source_column.part IS 'as after the column in hkg_set_source; else empty';


--
-- Name: COLUMN source_column.reading; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.source_column.reading IS 'as in hkg_set_source';


--
-- Name: COLUMN source_column.relation; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.source_column.relation IS 'null: no fact is made';


--
-- Name: COLUMN source_column.space; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.source_column.space IS 'as in hkg_set_source';


--
-- Name: COLUMN source_column.bins; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.source_column.bins IS 'where the second, third, ... bin begins; each eighth begins a band';


--
-- Name: COLUMN source_column.why; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.source_column.why IS 'the reason';


--
-- Name: source_table; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.source_table (
    table_name text NOT NULL,
    space text NOT NULL,
    entities boolean DEFAULT true NOT NULL,
    key name[],
    condition text,
    why text
);


--
-- Name: TABLE source_table; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.source_table IS 'the tables that hkg_sync makes facts of, as hkg_set_source or you wrote it';


--
-- Name: COLUMN source_table.table_name; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.source_table.table_name IS 'with its schema';


--
-- Name: COLUMN source_table.space; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.source_table.space IS 'the entity of a row is space:key';


--
-- Name: COLUMN source_table.entities; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.source_table.entities IS 'whether rows are entities, or facts alone';


--
-- Name: COLUMN source_table.key; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.source_table.key IS 'what identifies its rows';


--
-- Name: COLUMN source_table.condition; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.source_table.condition IS 'SQL about row s that must hold; null: all rows';


--
-- Name: COLUMN source_table.why; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.source_table.why IS 'the reason';


--
-- Name: threshold; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.threshold (
    model text NOT NULL COLLATE pg_catalog."C",
    relation integer NOT NULL,
    threshold double precision NOT NULL,
    triples bigint NOT NULL,
    accuracy double precision,
    evidence text DEFAULT 'embedding'::text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT threshold_evidence_check CHECK ((evidence = ANY (ARRAY['embedding'::text, 'rules'::text, 'paths'::text, 'all'::text])))
);


--
-- Name: TABLE threshold; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.threshold IS 'the thresholds of hkg_classify';


--
-- Name: COLUMN threshold.model; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.threshold.model IS 'model.name';


--
-- Name: COLUMN threshold.relation; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.threshold.relation IS 'relation.id';


--
-- Name: COLUMN threshold.threshold; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.threshold.threshold IS 'a triple with this score or a higher one is true';


--
-- Name: COLUMN threshold.triples; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.threshold.triples IS 'true triples it was learnt from; 0: it is that of all relations together';


--
-- Name: COLUMN threshold.accuracy; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.threshold.accuracy IS 'on these and their false counterparts';


--
-- Name: COLUMN threshold.evidence; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.threshold.evidence IS 'the scores it is for: embedding, rules, paths or all';


--
-- Name: training; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.training (
    model text NOT NULL COLLATE pg_catalog."C",
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    pid integer NOT NULL,
    status text NOT NULL,
    facts bigint
);


--
-- Name: TABLE training; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.training IS 'the trainings that have ended, but for those whose transaction was rolled back';


--
-- Name: COLUMN training.model; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.training.model IS 'model.name';


--
-- Name: COLUMN training.started_at; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.training.started_at IS 'when it began';


--
-- Name: COLUMN training.ended_at; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.training.ended_at IS 'when it ended';


--
-- Name: COLUMN training.pid; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.training.pid IS 'the session that called hkg_train, hkg_train_background or hkg_resume';


--
-- Name: COLUMN training.status; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.training.status IS 'ready; refused: the previous model is better, and stays; cancelled; or failed: and the reason';


--
-- Name: COLUMN training.facts; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.training.facts IS 'how many there were to learn from; null if it failed';


--
-- Name: trial; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.trial (
    id integer NOT NULL,
    model text NOT NULL COLLATE pg_catalog."C",
    arguments jsonb NOT NULL,
    status text NOT NULL,
    mrr double precision,
    hits_1 double precision,
    hits_3 double precision,
    hits_10 double precision,
    best_iteration integer,
    seconds double precision NOT NULL,
    error text,
    trained_at timestamp with time zone
);


--
-- Name: TABLE trial; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.trial IS 'the trials of hkg_tune';


--
-- Name: COLUMN trial.id; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.trial.id IS 'in the order in which they were tried';


--
-- Name: COLUMN trial.model; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.trial.model IS 'a checksum of arguments, facts, valid split, rejected triples and hybridkg.precision';


--
-- Name: COLUMN trial.arguments; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.trial.arguments IS 'arguments of hkg_train that were given';


--
-- Name: COLUMN trial.status; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.trial.status IS 'done, failed or cancelled; a trial that is not done is tried again';


--
-- Name: COLUMN trial.mrr; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.trial.mrr IS 'filtered, on the valid split';


--
-- Name: COLUMN trial.hits_1; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.trial.hits_1 IS 'likewise';


--
-- Name: COLUMN trial.hits_3; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.trial.hits_3 IS 'likewise';


--
-- Name: COLUMN trial.hits_10; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.trial.hits_10 IS 'likewise';


--
-- Name: COLUMN trial.best_iteration; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.trial.best_iteration IS 'the iteration that was kept';


--
-- Name: COLUMN trial.seconds; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.trial.seconds IS 'time of all iterations';


--
-- Name: COLUMN trial.error; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.trial.error IS 'why it failed';


--
-- Name: COLUMN trial.trained_at; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.trial.trained_at IS 'model.trained_at';


--
-- Name: trial_id_seq; Type: SEQUENCE; Schema: g; Owner: -
--

ALTER TABLE g.trial ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME g.trial_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: triple; Type: TABLE; Schema: g; Owner: -
--

CREATE TABLE g.triple (
    head integer NOT NULL,
    relation integer NOT NULL,
    tail integer NOT NULL
);


--
-- Name: TABLE triple; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TABLE g.triple IS 'the facts that are learnt from';


--
-- Name: COLUMN triple.head; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.triple.head IS 'entity.id';


--
-- Name: COLUMN triple.relation; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.triple.relation IS 'relation.id';


--
-- Name: COLUMN triple.tail; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON COLUMN g.triple.tail IS 'entity.id';


--
-- Data for Name: checkpoint; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.checkpoint (model, part, number, data, checksum) FROM stdin;
\.


--
-- Data for Name: checkpoint_inferred; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.checkpoint_inferred (model, iteration, head, relation, tail, score, probability, rules) FROM stdin;
\.


--
-- Data for Name: entity; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.entity (id, name) FROM stdin;
1	n0
2	n1
3	n2
4	n10
5	n5
6	n11
7	n20
8	n12
9	n6
10	n13
11	n24
12	n14
13	n26
14	n7
15	n15
16	n28
17	n16
18	n8
19	n17
20	n32
21	n18
22	n34
23	n9
24	n19
25	n36
26	n3
27	n4
28	n21
29	n22
30	n23
31	n25
32	n27
33	n29
34	n30
35	n31
36	n33
37	n35
38	n37
39	n38
40	n39
\.


--
-- Data for Name: entity_embedding; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.entity_embedding (model, entity, embedding) FROM stdin;
default	1	{0.040032484,-0.8735252,-0.7980814,0.0151109025,-0.007257525,0.7101463,0.7222179,0.29166913}
default	2	{-0.07474014,0.517221,-0.88949305,0.674477,-0.30974603,-0.7103761,-0.17740314,0.7340278}
default	3	{-0.67467535,-0.66536313,-0.7693782,0.64854264,0.45714074,0.51983505,-0.7225905,-0.4358577}
default	4	{-0.7362196,0.6068817,-0.709746,0.72668463,0.7968223,-0.37084222,-0.036953505,0.8523004}
default	5	{-0.5456643,0.76776713,-0.61659306,-0.66399795,-0.62052625,-0.47223136,-0.7180488,-0.79519653}
default	6	{-0.9196122,0.40992528,-1.0143664,0.79616135,0.33214176,0.5188034,-0.2951577,0.55882347}
default	7	{0.84853125,0.77112776,-0.8029023,0.24330679,0.38324618,0.76128304,-0.11059225,-0.8052241}
default	8	{-0.80900854,-0.7055631,0.46344692,0.673789,-0.9711671,-0.7156229,-0.41526154,0.58805543}
default	9	{0.8201988,-0.7271976,0.2964785,-0.7907249,-0.570134,-0.2794111,-0.9110208,-0.5434628}
default	10	{0.613911,0.9243157,0.7226834,0.5128336,-0.70315224,-0.510982,0.1453197,0.32917523}
default	11	{-0.83113647,0.48181862,0.41675466,-0.5959742,0.6386106,-0.67017084,-0.6094636,-0.9733745}
default	12	{-0.55327487,-0.8378366,0.7413087,-0.26174483,-0.6386687,0.831474,0.5720478,0.29183644}
default	13	{-0.72810435,0.34030065,0.8298325,-0.043983787,-0.77249724,-0.9386484,0.5586074,-0.6740777}
default	14	{0.79515475,0.5312852,0.8015117,-0.63083905,0.35130155,-0.16805266,-0.70856005,-0.28379402}
default	15	{0.92870253,0.6690889,-0.22055548,-0.59964633,-0.83874226,-0.6027026,0.6812441,0.54335934}
default	16	{0.3448204,-0.6711196,0.7606022,0.677727,0.70766866,0.62507564,0.8879248,-0.6183266}
default	17	{0.67329186,-0.6726133,0.53199244,0.029400267,0.82920957,0.76725256,-0.6541879,0.5472094}
default	18	{-0.43668562,-0.5700878,0.41357374,-0.66711056,-0.42107832,0.7541742,-0.90670085,0.5982009}
default	19	{-0.78542364,0.6484954,0.8630688,0.7118291,0.48318952,-0.77481496,0.26414993,-0.0042266846}
default	20	{0.775826,0.5813351,0.6506063,0.61199975,-0.92908996,0.70102197,-0.65202755,0.7112747}
default	21	{-0.5884623,-0.40202865,0.74547887,0.65285265,-0.7574864,0.602163,0.90039784,-0.41295353}
default	22	{0.41796142,0.74733007,0.8002022,-0.74441487,0.8194319,-0.91418123,0.7407511,-0.018936053}
default	23	{0.7921767,-0.7622005,0.63279706,-0.31982416,0.35861245,-0.5167425,0.4169134,0.77986306}
default	24	{0.7832739,-0.10282129,-0.62119424,0.7082443,-0.58011854,-0.9968162,0.8336774,-0.6404522}
default	25	{-0.79338276,0.58047116,0.110687695,-0.7198235,0.7772192,-0.4621598,0.79567444,0.5314624}
default	26	{-0.21556066,0.53726655,-0.6876872,0.6392659,-0.08668293,-0.81776226,-0.8270967,-0.7258193}
default	27	{0.74542075,-0.68222183,-0.7187954,-0.45847738,0.19694644,0.6401278,-0.7042854,-0.6624424}
default	28	{0.51295424,-0.8750262,-0.8649296,-0.5279894,0.07793356,-0.7605597,-0.62516576,-0.693603}
default	29	{0.9472157,0.91523975,-0.7786799,-0.66566414,0.7282653,0.5541533,-0.8132839,-0.7919195}
default	30	{-0.07000692,-0.790267,-0.30530423,-0.6954184,0.68240136,0.30278647,-0.9486487,-0.78066456}
default	31	{-0.72699374,-0.52032393,0.7463275,-0.512351,-0.2869774,0.8654261,-0.32187372,-0.6815983}
default	32	{0.85103816,0.59705216,0.85191554,0.63673973,-0.5548216,0.77878034,0.707027,-0.6071517}
default	33	{-0.4244944,0.34376398,0.028670348,0.56227493,0.4983181,-0.8551783,0.8085744,-0.8806406}
default	34	{-0.8492506,0.19028747,-0.7269456,0.29583916,0.023601789,0.67307746,0.55024624,-0.28000236}
default	35	{-0.6202206,-0.29797068,-0.5541616,0.052576937,-0.86455756,-0.7996848,-0.6953661,0.7789116}
default	36	{0.97202134,-0.684678,0.7789657,0.132622,0.43991786,0.27841341,-0.0703487,0.47368032}
default	37	{-0.23026562,-0.61382794,0.7181626,-0.8972548,0.65767014,0.7170957,0.63179237,0.5695363}
default	38	{-0.8577475,-0.5869712,-0.5237023,-0.5545647,-0.6838343,0.72205484,0.55430865,0.7735499}
default	39	{-0.14461926,-0.0649793,-0.6860367,-0.4564129,-0.73940575,-0.8692112,0.4907035,0.7830035}
default	40	{0.7143862,0.7439242,-0.5905267,0.28514504,0.03201706,0.6964473,0.071146056,0.8846099}
plain	1	{-2.0101795,-2.1917078,0.7536303,2.0737057}
plain	2	{0.05326617,0.6764507,-0.8199293,-0.013129722}
plain	3	{0.8349555,2.222071,0.5527358,-0.2739716}
plain	4	{-0.8980626,-1.7705458,0.31623036,1.9325917}
plain	5	{-0.4947422,2.2125857,-0.010548146,1.8508228}
plain	6	{1.9125874,-0.97806966,1.5682262,2.0825875}
plain	7	{-1.3129469,-0.8068928,1.6109122,1.5425248}
plain	8	{-2.032473,0.06792827,2.3674107,2.1707497}
plain	9	{-2.7075808,0.09389232,-2.1163163,-2.1143878}
plain	10	{2.5646164,-1.1668946,-0.51268226,0.24736798}
plain	11	{-2.5530539,1.6424816,-2.1560194,1.1368185}
plain	12	{-0.904655,0.08326006,-2.0009952,-1.7040589}
plain	13	{0.8733984,-1.5486324,1.2766691,-2.1408808}
plain	14	{1.2548674,1.7203733,-0.6441206,-0.59769756}
plain	15	{1.7817047,-0.68351567,-0.767248,-0.2388911}
plain	16	{-1.8186653,1.5285939,-0.03358703,-0.4348307}
plain	17	{1.0323871,0.16418187,1.3848054,1.3834676}
plain	18	{1.7253859,2.0958333,-2.6109524,-2.3668392}
plain	19	{2.422414,1.4480723,-1.9326773,-2.1172836}
plain	20	{-2.6917765,-2.240321,0.9935185,-0.82734704}
plain	21	{-1.4552523,1.7663721,-1.0278988,-0.35066485}
plain	22	{0.882255,0.07767078,-0.6308553,-0.06754998}
plain	23	{-0.9534737,-0.8166103,-2.0254352,-1.5818186}
plain	24	{-1.3402336,-0.23354636,0.030812858,-1.9300623}
plain	25	{-1.5106534,0.7272448,2.312579,-2.1739976}
plain	26	{-1.8026648,-1.6567003,1.1657588,2.1663687}
plain	27	{1.2482418,2.2225015,-1.7031527,-2.5242286}
plain	28	{-1.8490052,1.7835766,0.1071667,1.366727}
plain	29	{-0.60528904,-2.1438031,0.8981347,-2.3731098}
plain	30	{-1.4130512,-2.4383025,2.4238527,-1.7083828}
plain	31	{0.9484251,-1.7807631,1.751836,-1.0709708}
plain	32	{-1.7259183,1.5410316,1.3870606,-0.36678293}
plain	33	{-2.47903,-1.5871854,0.1462863,1.9735787}
plain	34	{-1.0850993,2.3079343,-1.7605994,0.1424551}
plain	35	{-0.40605623,-0.104791455,-2.5603867,1.5372729}
plain	36	{-0.67450786,-2.214915,1.3742322,-0.45164588}
plain	37	{-1.3533089,-1.6218996,0.7549376,0.98910224}
plain	38	{-2.1937892,1.6757481,1.5655934,1.2747635}
plain	39	{-0.467158,-0.8402611,0.85930115,-0.19649713}
plain	40	{-1.6445192,1.3853219,-2.1161616,-0.16760336}
\.


--
-- Data for Name: evidence_weight; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.evidence_weight (model, relation, side, scale, weight, questions, held_out, calibration, paths) FROM stdin;
default	1	head	1	1.185919328591116	0	0.0218978102189781	{"all": {"odd": 0.0150328462, "most": 0.5, "alone": {"most": 0.5, "slope": 1.24472529, "answers": 0.1342711, "intercept": -7.70257558, "most_odds": 1, "unanswered": -0.0921026774}, "slope": 0.278476327, "choice": 3.6668435, "answers": 0.169032713, "intercept": -5.98070808, "most_odds": 1, "unanswered": -0.115947253}, "rules": {"odd": 0.0150328462, "most": 0.5, "alone": {"most": 0.5, "slope": 2.04461133, "answers": -0.0149948565, "intercept": -6.63728613, "most_odds": 1, "unanswered": 0.0102856566}, "slope": 0.309854286, "choice": 4.81407103, "answers": -0.111838062, "intercept": -4.79898384, "most_odds": 1, "unanswered": 0.0767148322}, "embedding": {"odd": 0.015851434, "most": 0.5, "alone": {"most": 0.5, "slope": 2.70772453, "answers": -1.35646096, "intercept": -8.65722303, "most_odds": 1, "unanswered": 0.930458496}, "slope": 0.45179491, "choice": 4.61300338, "answers": -1.62436833, "intercept": -6.6383737, "most_odds": 1, "unanswered": 1.11422837}}	\N
default	1	tail	1	1.185919328591116	0	0.0218978102189781	{"all": {"odd": 0.0150328462, "most": 0.5, "alone": {"most": 0.5, "slope": 1.24472529, "answers": 0.1342711, "intercept": -7.70257558, "most_odds": 1, "unanswered": -0.0921026774}, "slope": 0.278476327, "choice": 3.6668435, "answers": 0.169032713, "intercept": -5.98070808, "most_odds": 1, "unanswered": -0.115947253}, "rules": {"odd": 0.0150328462, "most": 0.5, "alone": {"most": 0.5, "slope": 2.04461133, "answers": -0.0149948565, "intercept": -6.63728613, "most_odds": 1, "unanswered": 0.0102856566}, "slope": 0.309854286, "choice": 4.81407103, "answers": -0.111838062, "intercept": -4.79898384, "most_odds": 1, "unanswered": 0.0767148322}, "embedding": {"odd": 0.015851434, "most": 0.5, "alone": {"most": 0.5, "slope": 2.70772453, "answers": -1.35646096, "intercept": -8.65722303, "most_odds": 1, "unanswered": 0.930458496}, "slope": 0.45179491, "choice": 4.61300338, "answers": -1.62436833, "intercept": -6.6383737, "most_odds": 1, "unanswered": 1.11422837}}	\N
default	2	head	1	1.185919328591116	0	0.015463917525773195	{"all": {"odd": 0.0150328462, "most": 0.5, "alone": {"most": 0.5, "slope": 1.24472529, "answers": 0.1342711, "intercept": -7.70257558, "most_odds": 1, "unanswered": -0.0921026774}, "slope": 0.278476327, "choice": 3.6668435, "answers": 0.169032713, "intercept": -5.98070808, "most_odds": 1, "unanswered": -0.115947253}, "rules": {"odd": 0.0150328462, "most": 0.5, "alone": {"most": 0.5, "slope": 2.04461133, "answers": -0.0149948565, "intercept": -6.63728613, "most_odds": 1, "unanswered": 0.0102856566}, "slope": 0.309854286, "choice": 4.81407103, "answers": -0.111838062, "intercept": -4.79898384, "most_odds": 1, "unanswered": 0.0767148322}, "embedding": {"odd": 0.015851434, "most": 0.5, "alone": {"most": 0.5, "slope": 2.70772453, "answers": -1.35646096, "intercept": -8.65722303, "most_odds": 1, "unanswered": 0.930458496}, "slope": 0.45179491, "choice": 4.61300338, "answers": -1.62436833, "intercept": -6.6383737, "most_odds": 1, "unanswered": 1.11422837}}	\N
default	2	tail	1	1.185919328591116	0	0.015463917525773195	{"all": {"odd": 0.0150328462, "most": 0.5, "alone": {"most": 0.5, "slope": 1.24472529, "answers": 0.1342711, "intercept": -7.70257558, "most_odds": 1, "unanswered": -0.0921026774}, "slope": 0.278476327, "choice": 3.6668435, "answers": 0.169032713, "intercept": -5.98070808, "most_odds": 1, "unanswered": -0.115947253}, "rules": {"odd": 0.0150328462, "most": 0.5, "alone": {"most": 0.5, "slope": 2.04461133, "answers": -0.0149948565, "intercept": -6.63728613, "most_odds": 1, "unanswered": 0.0102856566}, "slope": 0.309854286, "choice": 4.81407103, "answers": -0.111838062, "intercept": -4.79898384, "most_odds": 1, "unanswered": 0.0767148322}, "embedding": {"odd": 0.015851434, "most": 0.5, "alone": {"most": 0.5, "slope": 2.70772453, "answers": -1.35646096, "intercept": -8.65722303, "most_odds": 1, "unanswered": 0.930458496}, "slope": 0.45179491, "choice": 4.61300338, "answers": -1.62436833, "intercept": -6.6383737, "most_odds": 1, "unanswered": 1.11422837}}	\N
default	3	head	1.015516629026119	1.193438918272094	3	0.09160305343511449	{"all": {"odd": 0.0138732945, "most": 0.8, "alone": {"most": 0.8, "slope": 1.07956351, "answers": 0.0494578855, "intercept": -6.96748928, "most_odds": 5.75, "unanswered": 0.266825311}, "slope": 0.222813042, "choice": 3.86152193, "answers": 0.121352133, "intercept": -5.01547623, "most_odds": 5.75, "unanswered": 0.250010987}, "rules": {"odd": 0.0138732945, "most": 0.8, "alone": {"most": 0.8, "slope": 1.63103919, "answers": 0.0013602669, "intercept": -5.97035476, "most_odds": 5.75, "unanswered": -0.0636466922}, "slope": 0.254090078, "choice": 5.03693807, "answers": 0.00734432533, "intercept": -4.04995381, "most_odds": 5.75, "unanswered": -0.0970483061}, "embedding": {"odd": 0.0148163086, "most": 0.8, "alone": {"most": 0.8, "slope": 2.77146394, "answers": -1.32072585, "intercept": -8.53422575, "most_odds": 5.75, "unanswered": 1.0098585}, "slope": 0.618571922, "choice": 4.4824016, "answers": -1.61233478, "intercept": -7.84869358, "most_odds": 5.75, "unanswered": 1.31059437}}	\N
default	3	tail	0.9821200343880329	1.2482398327457012	3	0.09160305343511449	{"all": {"odd": 0.0138732945, "most": 0.8, "alone": {"most": 0.8, "slope": 1.19353491, "answers": 0.185339246, "intercept": -7.03798538, "most_odds": 5.75, "unanswered": 0.369083171}, "slope": 0.264382254, "choice": 3.83485699, "answers": 0.297183734, "intercept": -5.29829584, "most_odds": 5.75, "unanswered": 0.402684977}, "rules": {"odd": 0.0138732945, "most": 0.8, "alone": {"most": 0.8, "slope": 2.19361189, "answers": -0.00333279956, "intercept": -6.196897, "most_odds": 5.75, "unanswered": 0.180356188}, "slope": 0.329601156, "choice": 5.03693807, "answers": -0.0235272872, "intercept": -4.36299305, "most_odds": 5.75, "unanswered": 0.363123304}, "embedding": {"odd": 0.0151259641, "most": 0.8, "alone": {"most": 0.8, "slope": 2.26459366, "answers": -0.829333992, "intercept": -7.56263479, "most_odds": 5.75, "unanswered": 0.583068719}, "slope": 0.27043158, "choice": 4.90459464, "answers": -1.09393476, "intercept": -4.62565838, "most_odds": 5.75, "unanswered": 0.744886607}}	\N
\.


--
-- Data for Name: facts_version; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.facts_version (number) FROM stdin;
8181102092044603770
\.


--
-- Data for Name: holdout; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.holdout (split, head, relation, tail) FROM stdin;
valid	6	3	29
valid	24	3	39
valid	26	3	9
test	14	3	12
test	15	3	34
\.


--
-- Data for Name: inferred; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.inferred (model, iteration, head, relation, tail, score, probability, rules) FROM stdin;
default	1	26	3	9	-0.015590464696288109	0.1804496843198365	{2}
default	2	26	3	9	1.2003123760223389	0.08001677748765419	{2}
default	1	14	3	12	-0.10385116934776306	0.1652056856117434	{2}
default	2	14	3	12	0.74200439453125	0.0505988247526058	{2}
default	1	6	3	29	0.4132227599620819	0.2770686214408357	{2}
default	2	6	3	29	3.18658185005188	0.5831857844497622	{2}
default	1	15	3	34	-0.038227081298828125	0.17641079980439747	{2}
default	2	15	3	34	1.343772292137146	0.09236020900262265	{2}
default	1	24	3	39	0.09159163385629654	0.20086520882318698	{2}
default	2	24	3	39	2.0851008892059326	0.19383840430735513	{2}
\.


--
-- Data for Name: iteration; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.iteration (model, number, loss, mrr, hits_1, hits_3, hits_10, rules, inferred, sampled, train_seconds, mine_seconds, sample_seconds, evaluate_seconds, ranked, mrr_error) FROM stdin;
default	1	3.4746104430842317	0.450036075036075	0.3333333333333333	0.5	0.5	1	5	5	0.00268734	0.001924384	0.002960707	0.00052771	3	\N
default	2	2.246690621112476	0.7777777777777778	0.6666666666666666	0.8333333333333334	1	1	5	5	0.001635998	0.000268909	0.001658962	0.000503645	3	\N
plain	1	2.5838292796869538	0.09314859117490697	0	0	0.5	0	0	0	0.001068744	0	0	0.000444262	3	\N
\.


--
-- Data for Name: model; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.model (name, score_function, dimensions, settings, status, created_at, trained_at, best_iteration, evidence, mrr, hits_1, hits_3, hits_10, paths) FROM stdin;
default	complex	4	{"beta": 1, "loss": "softmax", "norm": 1, "seed": 0, "gamma": 9, "label": "confidence", "model": "default", "nodes": 1, "omega": 0, "paths": false, "epochs": 5, "hybrid": "sampled", "preset": null, "holdout": 0.05, "minutes": null, "replace": "unless_worse", "patience": null, "rules_of": null, "constants": false, "negatives": 64, "optimizer": "adagrad", "path_kept": null, "precision": "single", "top_rules": 200, "accumulate": false, "batch_size": 512, "block_size": 64, "dimensions": 4, "inferences": "sql", "iterations": 2, "last_epoch": null, "partitions": 1, "path_facts": 4096, "path_width": null, "reciprocal": true, "warm_start": false, "constraints": "none", "min_quality": null, "min_support": 2, "path_epochs": null, "path_layers": null, "regularizer": null, "rule_weight": 0.01, "sample_size": null, "temperature": 1, "path_members": null, "input_dropout": 0.2, "learning_rate": 0.1, "path_reversed": null, "assume_missing": 0.1, "evidence_rules": 20000, "hidden_dropout": 0.3, "min_confidence": 0, "regularization": 0, "score_function": "complex", "evidence_length": 3, "feature_dropout": 0.2, "label_smoothing": 0, "last_path_epoch": null, "max_rule_length": 3, "relation_weight": 0, "evidence_seconds": null, "evidence_triples": null, "entailment_weight": 0.1, "learning_rate_end": null, "min_head_coverage": 0.01, "negative_sampling": "uniform", "path_learning_rate": null, "entailment_confidence": 0.8}	ready	2026-11-29 22:11:41.843063+00	2026-11-29 22:11:41.90932+00	2	{"discount": {"all": 0, "rules": 0}, "held_out": 0.038961039, "calibration": {}, "assume_missing": 0.1, "fitted_missing": 0.1}	0.7777777777777778	0.6666666666666666	0.8333333333333334	1	\N
plain	transe	4	{"beta": 1, "loss": "logistic", "norm": 1, "seed": 0, "gamma": 9, "label": "confidence", "model": "plain", "nodes": 1, "omega": 0, "paths": false, "epochs": 5, "hybrid": "sampled", "preset": null, "holdout": 0.05, "minutes": null, "replace": "unless_worse", "patience": null, "rules_of": null, "constants": false, "negatives": 64, "optimizer": "adagrad", "path_kept": null, "precision": "single", "top_rules": 0, "accumulate": false, "batch_size": 512, "block_size": 64, "dimensions": 4, "inferences": "sql", "iterations": 1, "last_epoch": null, "partitions": 1, "path_facts": 4096, "path_width": null, "reciprocal": false, "warm_start": false, "constraints": "none", "min_quality": null, "min_support": 2, "path_epochs": null, "path_layers": null, "regularizer": null, "rule_weight": 0.01, "sample_size": null, "temperature": 1, "path_members": null, "input_dropout": 0.2, "learning_rate": 0.1, "path_reversed": null, "assume_missing": 0.1, "evidence_rules": 0, "hidden_dropout": 0.3, "min_confidence": 0.7, "regularization": 0, "score_function": "transe", "evidence_length": null, "feature_dropout": 0.2, "label_smoothing": 0, "last_path_epoch": null, "max_rule_length": 3, "relation_weight": 0, "evidence_seconds": null, "evidence_triples": null, "entailment_weight": 0.1, "learning_rate_end": 0.01, "min_head_coverage": 0.01, "negative_sampling": "self_adversarial", "path_learning_rate": null, "entailment_confidence": 0.8}	ready	2026-11-29 22:11:41.914973+00	2026-11-29 22:11:41.922029+00	1	\N	0.09314859117490697	0	0	0.5	\N
\.


--
-- Data for Name: path_epoch; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.path_epoch (model, number, loss, mrr, hits_1, hits_3, hits_10, ranked, mrr_error, train_seconds, evaluate_seconds) FROM stdin;
\.


--
-- Data for Name: path_network; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.path_network (model, member, layer, part, relation, inverse, numbers) FROM stdin;
\.


--
-- Data for Name: rejected; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.rejected (head, relation, tail, reason, rejected_by, rejected_at) FROM stdin;
5	1	3	\N	postgres	2026-11-29 22:11:41.923112+00
\.


--
-- Data for Name: relation; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.relation (id, name, head_types, tail_types) FROM stdin;
1	half	\N	\N
2	next	\N	\N
3	twice	\N	\N
\.


--
-- Data for Name: relation_embedding; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.relation_embedding (model, relation, embedding, reciprocal) FROM stdin;
default	1	{-0.6048821,0.619087,0.85821396,-0.55981606,0.6740889,0.16538888,-0.59018767,0.45951343}	{-0.66702014,0.47324944,0.79074806,-0.5574875,-0.66591555,-0.14328888,0.65708274,-0.5321641}
default	2	{0.47221416,-0.7767386,0.75918496,0.8002655,0.85911953,0.72312385,0.63603646,-0.60274386}	{0.50439095,-0.87881565,0.8822259,0.82275003,-0.8337983,-0.8191648,-0.7003294,0.45904937}
default	3	{-0.34781936,0.62740237,0.7841391,-0.5682723,-0.77701414,-0.13969742,0.47041953,-0.4345033}	{-0.3514975,0.6133742,0.78188026,-0.62937325,0.59892327,0.18866377,-0.6591624,0.5413064}
plain	1	{-2.4960196,1.3824738,-0.62977165,1.6908379}	\N
plain	2	{-1.2442623,-1.405699,-1.936106,-1.0101199}	\N
plain	3	{-2.2416143,-1.2516966,-1.1306721,2.497019}	\N
\.


--
-- Data for Name: rule; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.rule (model, id, rule, head, body, support, body_size, pca_body_size, predictions, head_coverage, standard_confidence, pca_confidence, embedding_confidence, quality, selected, evidence_support, evidence_body_size, evidence_error, evidence_confidence, worth) FROM stdin;
default	1	half(X,Y) <= twice(Y,X)	1	{{3,-2,-1}}	15	15	15	0	0.75	1	1	\N	\N	f	15	15	0	0.75	\N
default	2	twice(X,Y) <= half(Y,X)	3	{{1,-2,-1}}	15	20	15	5	1	0.75	1	0.8177793533187738	0.75	t	15	20	0	0.6	0.75
\.


--
-- Data for Name: shared_weight; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.shared_weight (model, number, weights) FROM stdin;
\.


--
-- Data for Name: source; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.source (id, query) FROM stdin;
\.


--
-- Data for Name: source_column; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.source_column (table_name, column_name, part, reading, relation, space, bins, why) FROM stdin;
\.


--
-- Data for Name: source_table; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.source_table (table_name, space, entities, key, condition, why) FROM stdin;
\.


--
-- Data for Name: threshold; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.threshold (model, relation, threshold, triples, accuracy, evidence) FROM stdin;
plain	1	2.3993141716346145	0	\N	embedding
plain	2	2.3993141716346145	0	\N	embedding
plain	3	2.3993141716346145	3	0.6666666666666666	embedding
\.


--
-- Data for Name: training; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.training (model, started_at, ended_at, pid, status, facts) FROM stdin;
default	2026-11-29 22:11:41.836356+00	2026-11-29 22:11:41.909403+00	13531	ready	74
plain	2026-11-29 22:11:41.911629+00	2026-11-29 22:11:41.922056+00	13531	ready	74
\.


--
-- Data for Name: trial; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.trial (id, model, arguments, status, mrr, hits_1, hits_3, hits_10, best_iteration, seconds, error, trained_at) FROM stdin;
\.


--
-- Data for Name: triple; Type: TABLE DATA; Schema: g; Owner: -
--

COPY g.triple (head, relation, tail) FROM stdin;
1	1	1
3	1	2
4	1	5
7	1	4
8	1	9
9	1	26
11	1	8
12	1	14
13	1	10
16	1	12
17	1	18
18	1	27
20	1	17
21	1	23
22	1	19
25	1	21
27	1	3
29	1	6
34	1	15
39	1	24
1	2	2
2	2	3
3	2	26
4	2	6
5	2	9
6	2	8
7	2	28
8	2	10
9	2	14
10	2	12
11	2	31
12	2	15
13	2	32
14	2	18
15	2	17
16	2	33
17	2	19
18	2	23
19	2	21
20	2	36
21	2	24
22	2	37
23	2	4
24	2	7
25	2	38
26	2	27
27	2	5
28	2	29
29	2	30
30	2	11
31	2	13
32	2	16
33	2	34
34	2	35
35	2	20
36	2	22
37	2	25
38	2	39
39	2	40
1	3	1
2	3	3
3	3	27
4	3	7
5	3	4
8	3	11
9	3	8
10	3	13
12	3	16
17	3	20
18	3	17
19	3	22
21	3	25
23	3	21
27	3	18
\.


--
-- Name: entity_id_seq; Type: SEQUENCE SET; Schema: g; Owner: -
--

SELECT pg_catalog.setval('g.entity_id_seq', 40, true);


--
-- Name: relation_id_seq; Type: SEQUENCE SET; Schema: g; Owner: -
--

SELECT pg_catalog.setval('g.relation_id_seq', 3, true);


--
-- Name: trial_id_seq; Type: SEQUENCE SET; Schema: g; Owner: -
--

SELECT pg_catalog.setval('g.trial_id_seq', 1, false);


--
-- Name: checkpoint_inferred checkpoint_inferred_pkey; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.checkpoint_inferred
    ADD CONSTRAINT checkpoint_inferred_pkey PRIMARY KEY (model, iteration, head, relation, tail);


--
-- Name: checkpoint checkpoint_pkey; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.checkpoint
    ADD CONSTRAINT checkpoint_pkey PRIMARY KEY (model, part, number);


--
-- Name: entity_embedding entity_embedding_pkey; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.entity_embedding
    ADD CONSTRAINT entity_embedding_pkey PRIMARY KEY (model, entity);


--
-- Name: entity entity_name_key; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.entity
    ADD CONSTRAINT entity_name_key UNIQUE (name);


--
-- Name: entity entity_pkey; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.entity
    ADD CONSTRAINT entity_pkey PRIMARY KEY (id);


--
-- Name: evidence_weight evidence_weight_pkey; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.evidence_weight
    ADD CONSTRAINT evidence_weight_pkey PRIMARY KEY (model, relation, side);


--
-- Name: holdout holdout_pkey; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.holdout
    ADD CONSTRAINT holdout_pkey PRIMARY KEY (split, head, relation, tail);


--
-- Name: inferred inferred_pkey; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.inferred
    ADD CONSTRAINT inferred_pkey PRIMARY KEY (model, iteration, head, relation, tail);


--
-- Name: iteration iteration_pkey; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.iteration
    ADD CONSTRAINT iteration_pkey PRIMARY KEY (model, number);


--
-- Name: model model_pkey; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.model
    ADD CONSTRAINT model_pkey PRIMARY KEY (name);


--
-- Name: path_epoch path_epoch_pkey; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.path_epoch
    ADD CONSTRAINT path_epoch_pkey PRIMARY KEY (model, number);


--
-- Name: rejected rejected_pkey; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.rejected
    ADD CONSTRAINT rejected_pkey PRIMARY KEY (head, relation, tail);


--
-- Name: relation_embedding relation_embedding_pkey; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.relation_embedding
    ADD CONSTRAINT relation_embedding_pkey PRIMARY KEY (model, relation);


--
-- Name: relation relation_name_key; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.relation
    ADD CONSTRAINT relation_name_key UNIQUE (name);


--
-- Name: relation relation_pkey; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.relation
    ADD CONSTRAINT relation_pkey PRIMARY KEY (id);


--
-- Name: rule rule_pkey; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.rule
    ADD CONSTRAINT rule_pkey PRIMARY KEY (model, id);


--
-- Name: shared_weight shared_weight_pkey; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.shared_weight
    ADD CONSTRAINT shared_weight_pkey PRIMARY KEY (model, number);


--
-- Name: source_column source_column_pkey; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.source_column
    ADD CONSTRAINT source_column_pkey PRIMARY KEY (table_name, column_name, part);


--
-- Name: source source_pkey; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);


--
-- Name: source_table source_table_pkey; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.source_table
    ADD CONSTRAINT source_table_pkey PRIMARY KEY (table_name);


--
-- Name: source_table source_table_space_key; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.source_table
    ADD CONSTRAINT source_table_space_key UNIQUE (space);


--
-- Name: threshold threshold_pkey; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.threshold
    ADD CONSTRAINT threshold_pkey PRIMARY KEY (model, relation, evidence);


--
-- Name: training training_pkey; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.training
    ADD CONSTRAINT training_pkey PRIMARY KEY (model, started_at);


--
-- Name: trial trial_model_key; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.trial
    ADD CONSTRAINT trial_model_key UNIQUE (model);


--
-- Name: trial trial_pkey; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.trial
    ADD CONSTRAINT trial_pkey PRIMARY KEY (id);


--
-- Name: triple triple_pkey; Type: CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.triple
    ADD CONSTRAINT triple_pkey PRIMARY KEY (head, relation, tail);


--
-- Name: entity_embedding_entity_idx; Type: INDEX; Schema: g; Owner: -
--

CREATE INDEX entity_embedding_entity_idx ON g.entity_embedding USING btree (entity);


--
-- Name: holdout_head_idx; Type: INDEX; Schema: g; Owner: -
--

CREATE INDEX holdout_head_idx ON g.holdout USING btree (head);


--
-- Name: holdout_tail_idx; Type: INDEX; Schema: g; Owner: -
--

CREATE INDEX holdout_tail_idx ON g.holdout USING btree (tail);


--
-- Name: inferred_head_idx; Type: INDEX; Schema: g; Owner: -
--

CREATE INDEX inferred_head_idx ON g.inferred USING btree (head);


--
-- Name: inferred_tail_idx; Type: INDEX; Schema: g; Owner: -
--

CREATE INDEX inferred_tail_idx ON g.inferred USING btree (tail);


--
-- Name: path_network_key; Type: INDEX; Schema: g; Owner: -
--

CREATE UNIQUE INDEX path_network_key ON g.path_network USING btree (model, member, layer, part, COALESCE(relation, '-1'::integer), COALESCE(inverse, false));


--
-- Name: path_network_relation_idx; Type: INDEX; Schema: g; Owner: -
--

CREATE INDEX path_network_relation_idx ON g.path_network USING btree (relation);


--
-- Name: rejected_tail_idx; Type: INDEX; Schema: g; Owner: -
--

CREATE INDEX rejected_tail_idx ON g.rejected USING btree (tail);


--
-- Name: triple_itself_idx; Type: INDEX; Schema: g; Owner: -
--

CREATE INDEX triple_itself_idx ON g.triple USING btree (relation) WHERE (head = tail);


--
-- Name: triple_relation_idx; Type: INDEX; Schema: g; Owner: -
--

CREATE INDEX triple_relation_idx ON g.triple USING btree (relation, head, tail);


--
-- Name: triple_tail_idx; Type: INDEX; Schema: g; Owner: -
--

CREATE INDEX triple_tail_idx ON g.triple USING btree (tail, relation, head);


--
-- Name: rejected changed; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON g.rejected FOR EACH STATEMENT EXECUTE FUNCTION g.facts_changed();


--
-- Name: triple changed; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON g.triple FOR EACH STATEMENT EXECUTE FUNCTION g.facts_changed();


--
-- Name: entity_embedding deleted; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER deleted AFTER DELETE ON g.entity_embedding REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: evidence_weight deleted; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER deleted AFTER DELETE ON g.evidence_weight REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: path_network deleted; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER deleted AFTER DELETE ON g.path_network REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: relation_embedding deleted; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER deleted AFTER DELETE ON g.relation_embedding REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: rule deleted; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER deleted AFTER DELETE ON g.rule REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: shared_weight deleted; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER deleted AFTER DELETE ON g.shared_weight REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: entity_embedding inserted; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER inserted AFTER INSERT ON g.entity_embedding REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: evidence_weight inserted; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER inserted AFTER INSERT ON g.evidence_weight REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: path_network inserted; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER inserted AFTER INSERT ON g.path_network REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: relation_embedding inserted; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER inserted AFTER INSERT ON g.relation_embedding REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: rule inserted; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER inserted AFTER INSERT ON g.rule REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: shared_weight inserted; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER inserted AFTER INSERT ON g.shared_weight REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: rejected replicated; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER replicated AFTER INSERT OR DELETE OR UPDATE ON g.rejected FOR EACH ROW EXECUTE FUNCTION g.facts_changed();

ALTER TABLE g.rejected ENABLE REPLICA TRIGGER replicated;


--
-- Name: triple replicated; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER replicated AFTER INSERT OR DELETE OR UPDATE ON g.triple FOR EACH ROW EXECUTE FUNCTION g.facts_changed();

ALTER TABLE g.triple ENABLE REPLICA TRIGGER replicated;


--
-- Name: TRIGGER replicated ON triple; Type: COMMENT; Schema: g; Owner: -
--

COMMENT ON TRIGGER replicated ON g.triple IS 'for a subscriber. After "alter table triple disable trigger ...", "alter table triple enable trigger user, enable replica trigger replicated" enables all as they were; until then, sessions read the facts anew for each statement';


--
-- Name: relation retyped; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER retyped AFTER UPDATE ON g.relation FOR EACH ROW WHEN (((old.head_types IS DISTINCT FROM new.head_types) OR (old.tail_types IS DISTINCT FROM new.tail_types))) EXECUTE FUNCTION g.facts_changed();

ALTER TABLE g.relation ENABLE ALWAYS TRIGGER retyped;


--
-- Name: entity_embedding truncated; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER truncated AFTER TRUNCATE ON g.entity_embedding FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: evidence_weight truncated; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER truncated AFTER TRUNCATE ON g.evidence_weight FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: path_network truncated; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER truncated AFTER TRUNCATE ON g.path_network FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: relation_embedding truncated; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER truncated AFTER TRUNCATE ON g.relation_embedding FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: rule truncated; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER truncated AFTER TRUNCATE ON g.rule FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: shared_weight truncated; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER truncated AFTER TRUNCATE ON g.shared_weight FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: entity_embedding updated; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER updated AFTER UPDATE ON g.entity_embedding REFERENCING OLD TABLE AS changed_from NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: evidence_weight updated; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER updated AFTER UPDATE ON g.evidence_weight REFERENCING OLD TABLE AS changed_from NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: path_network updated; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER updated AFTER UPDATE ON g.path_network REFERENCING OLD TABLE AS changed_from NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: relation_embedding updated; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER updated AFTER UPDATE ON g.relation_embedding REFERENCING OLD TABLE AS changed_from NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: rule updated; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER updated AFTER UPDATE ON g.rule REFERENCING OLD TABLE AS changed_from NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: shared_weight updated; Type: TRIGGER; Schema: g; Owner: -
--

CREATE TRIGGER updated AFTER UPDATE ON g.shared_weight REFERENCING OLD TABLE AS changed_from NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION g.model_changed();


--
-- Name: checkpoint_inferred checkpoint_inferred_model_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.checkpoint_inferred
    ADD CONSTRAINT checkpoint_inferred_model_fkey FOREIGN KEY (model) REFERENCES g.model(name) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: checkpoint checkpoint_model_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.checkpoint
    ADD CONSTRAINT checkpoint_model_fkey FOREIGN KEY (model) REFERENCES g.model(name) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: entity_embedding entity_embedding_entity_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.entity_embedding
    ADD CONSTRAINT entity_embedding_entity_fkey FOREIGN KEY (entity) REFERENCES g.entity(id) ON DELETE CASCADE;


--
-- Name: entity_embedding entity_embedding_model_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.entity_embedding
    ADD CONSTRAINT entity_embedding_model_fkey FOREIGN KEY (model) REFERENCES g.model(name) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: evidence_weight evidence_weight_model_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.evidence_weight
    ADD CONSTRAINT evidence_weight_model_fkey FOREIGN KEY (model) REFERENCES g.model(name) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: evidence_weight evidence_weight_relation_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.evidence_weight
    ADD CONSTRAINT evidence_weight_relation_fkey FOREIGN KEY (relation) REFERENCES g.relation(id) ON DELETE CASCADE;


--
-- Name: holdout holdout_head_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.holdout
    ADD CONSTRAINT holdout_head_fkey FOREIGN KEY (head) REFERENCES g.entity(id);


--
-- Name: holdout holdout_relation_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.holdout
    ADD CONSTRAINT holdout_relation_fkey FOREIGN KEY (relation) REFERENCES g.relation(id);


--
-- Name: holdout holdout_tail_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.holdout
    ADD CONSTRAINT holdout_tail_fkey FOREIGN KEY (tail) REFERENCES g.entity(id);


--
-- Name: inferred inferred_head_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.inferred
    ADD CONSTRAINT inferred_head_fkey FOREIGN KEY (head) REFERENCES g.entity(id) ON DELETE CASCADE;


--
-- Name: inferred inferred_model_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.inferred
    ADD CONSTRAINT inferred_model_fkey FOREIGN KEY (model) REFERENCES g.model(name) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: inferred inferred_relation_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.inferred
    ADD CONSTRAINT inferred_relation_fkey FOREIGN KEY (relation) REFERENCES g.relation(id) ON DELETE CASCADE;


--
-- Name: inferred inferred_tail_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.inferred
    ADD CONSTRAINT inferred_tail_fkey FOREIGN KEY (tail) REFERENCES g.entity(id) ON DELETE CASCADE;


--
-- Name: iteration iteration_model_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.iteration
    ADD CONSTRAINT iteration_model_fkey FOREIGN KEY (model) REFERENCES g.model(name) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: path_epoch path_epoch_model_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.path_epoch
    ADD CONSTRAINT path_epoch_model_fkey FOREIGN KEY (model) REFERENCES g.model(name) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: path_network path_network_model_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.path_network
    ADD CONSTRAINT path_network_model_fkey FOREIGN KEY (model) REFERENCES g.model(name) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: path_network path_network_relation_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.path_network
    ADD CONSTRAINT path_network_relation_fkey FOREIGN KEY (relation) REFERENCES g.relation(id) ON DELETE CASCADE;


--
-- Name: rejected rejected_head_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.rejected
    ADD CONSTRAINT rejected_head_fkey FOREIGN KEY (head) REFERENCES g.entity(id) ON DELETE CASCADE;


--
-- Name: rejected rejected_relation_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.rejected
    ADD CONSTRAINT rejected_relation_fkey FOREIGN KEY (relation) REFERENCES g.relation(id) ON DELETE CASCADE;


--
-- Name: rejected rejected_tail_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.rejected
    ADD CONSTRAINT rejected_tail_fkey FOREIGN KEY (tail) REFERENCES g.entity(id) ON DELETE CASCADE;


--
-- Name: relation_embedding relation_embedding_model_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.relation_embedding
    ADD CONSTRAINT relation_embedding_model_fkey FOREIGN KEY (model) REFERENCES g.model(name) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: relation_embedding relation_embedding_relation_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.relation_embedding
    ADD CONSTRAINT relation_embedding_relation_fkey FOREIGN KEY (relation) REFERENCES g.relation(id) ON DELETE CASCADE;


--
-- Name: rule rule_head_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.rule
    ADD CONSTRAINT rule_head_fkey FOREIGN KEY (head) REFERENCES g.relation(id) ON DELETE CASCADE;


--
-- Name: rule rule_model_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.rule
    ADD CONSTRAINT rule_model_fkey FOREIGN KEY (model) REFERENCES g.model(name) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: shared_weight shared_weight_model_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.shared_weight
    ADD CONSTRAINT shared_weight_model_fkey FOREIGN KEY (model) REFERENCES g.model(name) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: source_column source_column_table_name_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.source_column
    ADD CONSTRAINT source_column_table_name_fkey FOREIGN KEY (table_name) REFERENCES g.source_table(table_name) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: threshold threshold_model_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.threshold
    ADD CONSTRAINT threshold_model_fkey FOREIGN KEY (model) REFERENCES g.model(name) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: threshold threshold_relation_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.threshold
    ADD CONSTRAINT threshold_relation_fkey FOREIGN KEY (relation) REFERENCES g.relation(id) ON DELETE CASCADE;


--
-- Name: training training_model_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.training
    ADD CONSTRAINT training_model_fkey FOREIGN KEY (model) REFERENCES g.model(name) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: triple triple_head_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.triple
    ADD CONSTRAINT triple_head_fkey FOREIGN KEY (head) REFERENCES g.entity(id);


--
-- Name: triple triple_relation_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.triple
    ADD CONSTRAINT triple_relation_fkey FOREIGN KEY (relation) REFERENCES g.relation(id);


--
-- Name: triple triple_tail_fkey; Type: FK CONSTRAINT; Schema: g; Owner: -
--

ALTER TABLE ONLY g.triple
    ADD CONSTRAINT triple_tail_fkey FOREIGN KEY (tail) REFERENCES g.entity(id);


--
-- Name: TABLE layout; Type: ACL; Schema: g; Owner: -
--

GRANT SELECT ON TABLE g.layout TO PUBLIC;


--
-- PostgreSQL database dump complete
--


