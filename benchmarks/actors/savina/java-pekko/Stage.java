package actors;

import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;
import org.apache.pekko.japi.Creator;

/** What a benchmark is given: where its actors live, and how much they do. */
record Stage(ActorSystem system, Tally tally, int actors, int amount, int seed) {
    ActorRef actor(Creator<Member> creator) {
        return system.actorOf(Props.create(Member.class, creator));
    }

    /** The contract's `next`. */
    static int next(int x) { return (x * 1309 + 13849) & 65535; }
}
