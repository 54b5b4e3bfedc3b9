// SPDX-License-Identifier: GPL-2.0-only
//
// The far end of a connection, for a sender of any kind: a path on which chosen transmissions are lost,
// late or marked, and a receiver that acknowledges every segment at once, with three blocks of SACK, the
// newest first (RFC 2018), and echoes a mark until the sender says that it has reduced its window (RFC
// 3168, section 6.1.3). The same for a sender of the segment engine (segment_sender.cc) and for one in
// Linux (linux_sender.c): what differs then is the sender.

#ifndef LONGFAT_TESTS_PEER_H
#define LONGFAT_TESTS_PEER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    PEER_SEGMENTS = 65536, //!< of a connection, at most
    PEER_CHOSEN = 256,     //!< transmissions that are lost, late or marked
    PEER_BLOCKS = 3
};

/// That transmission of a segment, 1 the first, comes so much later, or never: -1; or is marked.
struct peer_chosen
{
    uint32_t segment, transmission;
    int64_t late_ns;
    int marked;
};

struct peer_ack
{
    int64_t time_ns; //!< when the sender gets it
    uint32_t number; //!< segment expected next
    int blocks;
    uint32_t first[PEER_BLOCKS], end[PEER_BLOCKS]; //!< segments [first, end)
    int echo;                                      //!< of a mark
};

struct peer
{
    int64_t rtt_ns; //!< of an empty path
    int64_t gap_ns; //!< that the path's slowest link takes for a segment
    int64_t free_ns;
    int sack;
    int ecn;     //!< the connection has it
    int echoing; //!< a mark has come, and no answer to it
    struct peer_chosen chosen[PEER_CHOSEN];
    int choices;
    uint8_t transmissions[PEER_SEGMENTS]; //!< so far
    uint8_t here[PEER_SEGMENTS];          //!< whether it has arrived
    uint32_t next;                        //!< first that has not
    uint32_t first[PEER_SEGMENTS], end[PEER_SEGMENTS];
    int blocks;                          //!< of early segments, the newest first
    int64_t under_way_ns[PEER_SEGMENTS]; //!< when each answer is due
    uint32_t under_way[PEER_SEGMENTS];
    int marked[PEER_SEGMENTS], reduced[PEER_SEGMENTS]; //!< CE and CWR of each
    int count;
};

/// ecn, or lose=SEGMENT.TRANSMISSION, mark=SEGMENT.TRANSMISSION, late=SEGMENT.TRANSMISSION.NANOSECONDS;
/// returns 0 for another word.
static int
peer_option(struct peer* peer, const char* word)
{
    struct peer_chosen* one = &peer->chosen[peer->choices];
    unsigned segment, transmission;
    long long late = -1;
    if (!strcmp(word, "ecn"))
    {
        return peer->ecn = 1;
    }
    const int marked = sscanf(word, "mark=%u.%u", &segment, &transmission) == 2;
    if (!marked && sscanf(word, "lose=%u.%u", &segment, &transmission) != 2 &&
        sscanf(word, "late=%u.%u.%lld", &segment, &transmission, &late) != 3)
    {
        return 0;
    }
    one->marked = marked;
    one->segment = segment;
    one->transmission = transmission;
    one->late_ns = marked ? 0 : late;
    return ++peer->choices < PEER_CHOSEN;
}

/// The sender sends a segment, with CWR or without. Returns when the answer will come, or -1.
static int64_t
peer_take(struct peer* peer, uint32_t segment, int reduced, int64_t now_ns)
{
    if (segment >= PEER_SEGMENTS)
    {
        fprintf(stderr, "segment %u: there is room for %d\n", segment, PEER_SEGMENTS);
        exit(1);
    }
    const uint32_t transmission = ++peer->transmissions[segment];
    peer->free_ns = (now_ns > peer->free_ns ? now_ns : peer->free_ns) + peer->gap_ns;
    int64_t due = peer->free_ns + peer->rtt_ns;
    int marked = 0;
    for (int i = 0; i < peer->choices; ++i)
    {
        const struct peer_chosen* one = &peer->chosen[i];
        if (one->segment == segment && one->transmission == transmission)
        {
            if (one->late_ns < 0)
            {
                return -1;
            }
            due += one->late_ns;
            marked |= one->marked;
        }
    }
    int place = peer->count++;
    for (; place > 0 && peer->under_way_ns[place - 1] > due; --place)
    {
        peer->under_way_ns[place] = peer->under_way_ns[place - 1];
        peer->under_way[place] = peer->under_way[place - 1];
        peer->marked[place] = peer->marked[place - 1];
        peer->reduced[place] = peer->reduced[place - 1];
    }
    peer->under_way_ns[place] = due;
    peer->under_way[place] = segment;
    peer->marked[place] = marked;
    peer->reduced[place] = reduced;
    return due;
}

static void
peer_remove_block(struct peer* peer, int i)
{
    --peer->blocks;
    memmove(peer->first + i, peer->first + i + 1, (peer->blocks - i) * sizeof *peer->first);
    memmove(peer->end + i, peer->end + i + 1, (peer->blocks - i) * sizeof *peer->end);
}

/// The block that a segment belongs to comes first.
static void
peer_report(struct peer* peer, uint32_t segment)
{
    uint32_t first = segment, end = segment + 1;
    for (int i = peer->blocks - 1; i >= 0; --i)
    {
        if (peer->first[i] <= end && first <= peer->end[i])
        {
            first = peer->first[i] < first ? peer->first[i] : first;
            end = peer->end[i] > end ? peer->end[i] : end;
            peer_remove_block(peer, i);
        }
    }
    memmove(peer->first + 1, peer->first, peer->blocks * sizeof *peer->first);
    memmove(peer->end + 1, peer->end, peer->blocks * sizeof *peer->end);
    peer->first[0] = first;
    peer->end[0] = end;
    ++peer->blocks;
}

/// The answer that is due next, to the segment that has arrived; there is one.
static struct peer_ack
peer_answer(struct peer* peer)
{
    struct peer_ack ack = {0};
    ack.time_ns = peer->under_way_ns[0];
    const uint32_t segment = peer->under_way[0];
    peer->echoing = (peer->echoing && !peer->reduced[0]) || peer->marked[0];
    ack.echo = peer->echoing;
    --peer->count;
    memmove(peer->marked, peer->marked + 1, peer->count * sizeof *peer->marked);
    memmove(peer->reduced, peer->reduced + 1, peer->count * sizeof *peer->reduced);
    memmove(peer->under_way_ns, peer->under_way_ns + 1, peer->count * sizeof *peer->under_way_ns);
    memmove(peer->under_way, peer->under_way + 1, peer->count * sizeof *peer->under_way);
    const int is_new = !peer->here[segment];
    peer->here[segment] = 1;
    while (peer->here[peer->next])
    {
        ++peer->next;
    }
    if (is_new && segment >= peer->next)
    {
        peer_report(peer, segment);
    }
    for (int i = peer->blocks - 1; i >= 0; --i)
    {
        if (peer->end[i] <= peer->next)
        {
            peer_remove_block(peer, i);
        }
    }
    ack.number = peer->next;
    for (; peer->sack && ack.blocks < peer->blocks && ack.blocks < PEER_BLOCKS; ++ack.blocks)
    {
        ack.first[ack.blocks] = peer->first[ack.blocks];
        ack.end[ack.blocks] = peer->end[ack.blocks];
    }
    return ack;
}

#endif
