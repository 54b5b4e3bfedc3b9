// Paths through low orbits for the Laboratory: where satellites are, which of them a path takes, how
// long that is, and a map. What longfat.orbits and longfat.leo do in Python; the names are theirs.
//
// A panel of the Laboratory with `orbit` in its settings has `longfatOrbit.scenario` make its links.
"use strict";

const longfatOrbit = (() => {
  const NS = 1e9;

  // --- geometry: km, seconds; positions are those of an Earth that stands still

  function cosSin(turns) {
    const angle = 2 * Math.PI * (turns - Math.floor(turns));
    return [Math.cos(angle), Math.sin(angle)];
  }

  function sum([cosA, sinA], [cosB, sinB]) {
    return [cosA * cosB - sinA * sinB, sinA * cosB + cosA * sinB];
  }

  const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

  function place(orbit, name) {
    const [latitude, longitude] = orbit.places[name];
    const [cosLat, sinLat] = cosSin(latitude / 360);
    const [cosLon, sinLon] = cosSin(longitude / 360);
    const up = [cosLat * cosLon, cosLat * sinLon, sinLat];
    const squared = orbit.flattening * (2 - orbit.flattening);
    const normal = orbit.equator_km / Math.sqrt(1 - squared * sinLat * sinLat);
    const at = [normal * up[0], normal * up[1], normal * up[2] * (1 - squared)];
    return { name, latitude, longitude, up, at };
  }

  function landKm(orbit, a, b) {
    const half = Math.min(1, distance(a.at, b.at) / (2 * orbit.mean_radius_km));
    return 2 * orbit.mean_radius_km * Math.asin(half);
  }

  function constellation(orbit, shell) {
    const radius = orbit.equator_km + shell.altitude_km;
    const [cosI, sinI] = cosSin(shell.inclination_deg / 360);
    const motion = Math.sqrt(orbit.mu_km3_s2 / radius ** 3) / (2 * Math.PI);
    const drift = 1.5 * orbit.j2 * (orbit.equator_km / radius) ** 2;
    const nodeRate = -motion * drift * cosI;
    const rate = motion * (1 + drift * (3 - 4 * sinI * sinI));
    const { planes, satellites_per_plane: perPlane } = shell;
    const nodes = [];
    const fromNode = [];
    for (let plane = 0; plane < planes; plane++) {
      const node = cosSin(((shell.nodes_over_deg / 360) * plane) / planes);
      const ahead = cosSin(((shell.phasing * plane) % planes) / planes / perPlane);
      for (let k = 0; k < perPlane; k++) {
        nodes.push(node);
        fromNode.push(sum(ahead, cosSin(k / perPlane)));
      }
    }
    const neighbours = [];
    for (let plane = 0; plane < planes; plane++) {
      for (let k = 0; k < perPlane; k++) {
        const here = plane * perPlane + k;
        neighbours.push([here, plane * perPlane + ((k + 1) % perPlane)]);
        if (plane + 1 < planes || shell.nodes_over_deg === 360) {
          neighbours.push([here, ((plane + 1) % planes) * perPlane + k]);
        }
      }
    }
    const lowest = orbit.equator_km + orbit.thinnest_air_km;
    return {
      count: nodes.length,
      neighbours,
      longestBeam: 2 * Math.sqrt(radius * radius - lowest * lowest),
      positions(time) {
        const earth = orbit.epoch_turns + (orbit.turns_per_day / 86400) * time;
        const turned = cosSin(nodeRate * time - earth);
        const moved = cosSin(rate * time);
        return nodes.map((own, i) => {
          const [cosN, sinN] = sum(own, turned);
          const [cosU, sinU] = sum(fromNode[i], moved);
          const across = sinU * cosI;
          return [
            radius * (cosN * cosU - sinN * across),
            radius * (sinN * cosU + cosN * across),
            radius * sinU * sinI,
          ];
        });
      },
    };
  }

  function inSight(from, at, leastDeg) {
    const way = [at[0] - from.at[0], at[1] - from.at[1], at[2] - from.at[2]];
    const height = way[0] * from.up[0] + way[1] * from.up[1] + way[2] * from.up[2];
    return height / Math.hypot(...way) >= cosSin(leastDeg / 360)[1];
  }

  // --- which path, and how long

  function random(seed) {
    // Mulberry32: a number from 0 to 1 a call. Python draws others.
    let state = seed >>> 0;
    return () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let x = Math.imul(state ^ (state >>> 15), state | 1);
      x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
      return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
    };
  }

  function sky(orbit, state) {
    const shell = orbit.shells[state.shell];
    const moving = constellation(orbit, shell);
    const user = place(orbit, state.user);
    const server = place(orbit, state.server);
    const start = (Date.parse(state.start) - Date.parse(orbit.epoch)) / 1000;
    const least = shell.min_elevation_deg;
    const stations = [...Object.keys(orbit.places).map((name) => place(orbit, name)), server];
    const glass = orbit.fibre_s_per_km * orbit.light_km_s;
    const draw = random(state.seed);

    function overland(times, ground) {
      // The satellites that a place sees at all of the times, by their numbers.
      const found = [];
      for (let i = 0; i < moving.count; i++) {
        if (times.every((positions) => inSight(ground, positions[i], least))) found.push(i);
      }
      return found;
    }

    function bentPipe(times, overhead) {
      let best = new Map();
      for (const station of stations) {
        const ground = landKm(orbit, station, server);
        for (const i of overhead) {
          if (!times.every((positions) => inSight(station, positions[i], least))) continue;
          const at = times[0][i];
          const way = distance(at, user.at) + distance(at, station.at) + ground * glass;
          if (!best.has(i) || way < best.get(i).way) best.set(i, { way, station, ground });
        }
      }
      if (!best.size) return { satellites: [] };
      const known = [...best.keys()].sort((a, b) => a - b);
      let chosen = known.reduce((a, b) => (best.get(b).way < best.get(a).way ? b : a));
      if (state.choice === "random") chosen = known[Math.floor(draw() * known.length)];
      const { station, ground } = best.get(chosen);
      return { satellites: [chosen], station, ground };
    }

    function grid(times, above, beyond) {
      // Dijkstra from the user to the server.
      let overhead = above;
      let there = beyond;
      if (state.choice === "random" && above.length && beyond.length) {
        overhead = [above[Math.floor(draw() * above.length)]];
        there = [beyond[Math.floor(draw() * beyond.length)]];
      }
      const links = Array.from({ length: moving.count }, () => []);
      for (const [a, b] of moving.neighbours) {
        if (times.every((positions) => distance(positions[a], positions[b]) <= moving.longestBeam)) {
          const km = distance(times[0][a], times[0][b]);
          links[a].push([b, km]);
          links[b].push([a, km]);
        }
      }
      const far = new Float64Array(moving.count).fill(Infinity);
      const before = new Int32Array(moving.count).fill(-1);
      const done = new Uint8Array(moving.count);
      let open = [];
      for (const i of overhead) {
        far[i] = distance(times[0][i], user.at);
        open.push(i);
      }
      while (open.length) {
        let k = 0;
        for (let j = 1; j < open.length; j++) if (far[open[j]] < far[open[k]]) k = j;
        const [here] = open.splice(k, 1);
        if (done[here]) continue;
        done[here] = 1;
        for (const [next, km] of links[here]) {
          if (far[here] + km < far[next]) {
            far[next] = far[here] + km;
            before[next] = here;
            open.push(next);
          }
        }
      }
      let last = -1;
      let shortest = Infinity;
      for (const i of there) {
        const way = far[i] + distance(times[0][i], server.at);
        if (way < shortest) [last, shortest] = [i, way];
      }
      const satellites = [];
      for (let i = last; i >= 0; i = before[i]) satellites.unshift(i);
      return { satellites, station: null, ground: 0 };
    }

    function choose(beginS, endS) {
      const moments = beginS === endS ? [beginS] : [beginS, endS];
      const times = moments.map((at) => moving.positions(start + at));
      const overhead = overland(times, user);
      return state.links === "+grid" ? grid(times, overhead, overland(times, server)) : bentPipe(times, overhead);
    }

    function points(hold, positions) {
      return [user.at, ...hold.satellites.map((i) => positions[i]), (hold.station ?? server).at];
    }

    function delayS(hold, atS) {
      const way = points(hold, moving.positions(start + atS));
      let km = 0;
      for (let i = 1; i < way.length; i++) km += distance(way[i], way[i - 1]);
      return km / orbit.light_km_s + hold.ground * orbit.fibre_s_per_km;
    }

    function lasts(hold, atS) {
      const positions = moving.positions(start + atS);
      const { satellites } = hold;
      const beams = satellites.every((one, k) => k === 0 || distance(positions[one], positions[satellites[k - 1]]) <= moving.longestBeam);
      return beams && inSight(user, positions[satellites[0]], least) &&
        inSight(hold.station ?? server, positions[satellites.at(-1)], least);
    }

    function holds(durationS) {
      const found = [];
      const every = orbit.reconfigured[state.shell] ? Math.round(orbit.reconfiguration_s * NS) : 0;
      const end = Math.round(durationS * NS);
      for (let begin = 0; begin < end; ) {
        let until = Math.min(end, begin + NS);
        let hold;
        if (every) {
          const since = Math.round((start - orbit.reconfigured_at_s) * 1e6) * 1000 + begin;
          until = Math.min(end, begin + every - (((since % every) + every) % every));
          hold = choose(begin / NS, until / NS);
        } else {
          hold = choose(begin / NS, until / NS);
          while (hold.satellites.length && until < end && lasts(hold, until / NS + 1)) until += NS;
          until = Math.min(until, end);
        }
        found.push({ ...hold, begin, end: until });
        begin = until;
      }
      return found;
    }

    return { moving, user, server, start, points, delayS, holds, overland };
  }

  function delays(view, holds, rateBps, orbit) {
    // [time, delay] from 0 on, in ns: steps by which no packet overtakes another.
    const step = Math.max(1 / NS, Math.min(orbit.largest_step_s, (8 * orbit.smallest_packet_bytes) / rateBps - 2 / NS));
    const found = [];
    let last = -1;
    const served = holds.filter((hold) => hold.satellites.length);
    served.forEach((hold, place) => {
      const begin = place === 0 ? 0 : hold.begin;
      const times = [begin];
      for (let time = begin + NS; time < hold.end; time += NS) times.push(time);
      times.push(hold.end);
      const ways = times.map((time) => view.delayS(hold, time / NS));
      for (let i = 0; i + 1 < times.length; i++) {
        const steps = Math.max(1, Math.ceil(Math.abs(ways[i + 1] - ways[i]) / step));
        for (let k = 0; k < steps; k++) {
          const at = times[i] + Math.floor(((times[i + 1] - times[i]) * k) / steps);
          const delay = Math.round((ways[i] + ((ways[i + 1] - ways[i]) * k) / steps) * NS);
          if (delay !== last) found.push([at, delay]);
          last = delay;
        }
      }
    });
    return found;
  }

  function outages(holds, silenceS) {
    // [begin, end] in s: after changes of the path, and while there is none.
    const found = [];
    let begin = 0;
    let end = 0;
    const way = (hold) => `${hold.satellites} ${hold.station?.name}`;
    holds.forEach((hold, i) => {
      if (hold.satellites.length && way(hold) === way(holds[Math.max(0, i - 1)])) return;
      const until = hold.satellites.length ? hold.begin / NS + silenceS : hold.end / NS;
      if (hold.begin / NS > end) {
        if (end > begin) found.push([begin, end]);
        begin = hold.begin / NS;
      }
      end = Math.max(end, until);
    });
    if (end > begin) found.push([begin, end]);
    return found;
  }

  const views = new Map(); // of the newest settings of each panel

  function view(settings, state) {
    const { shell, user, server, links, choice, start, seed, duration } = state;
    const asked = JSON.stringify([shell, user, server, links, choice, start, seed, duration]);
    if (views.get(settings.name)?.asked !== asked) {
      const made = sky(settings.orbit, state);
      views.set(settings.name, { asked, sky: made, holds: made.holds(duration) });
    }
    return views.get(settings.name);
  }

  function problem(settings, state) {
    // A sentence about places that no path joins, or "".
    if (Number.isNaN(Date.parse(state.start))) {
      return `start is "${String(state.start).slice(0, 30)}": it must be a time, such as 2026-01-01T00:00:00Z.`;
    }
    const seen = view(settings, state);
    if (seen.holds.some((hold) => hold.satellites.length)) return "";
    return `Within ${state.duration} s no path over ${state.shell} joins ${state.user} and ${state.server}.`;
  }

  function links(settings, state) {
    // The links of the scenario, as longfat.leo makes them.
    const { orbit, scenario } = settings;
    const seen = view(settings, state);
    const silent = outages(seen.holds, state.silence / 1000).map(([begin, end]) => ({
      start_s: begin,
      duration_s: Number((end - begin).toFixed(9)),
    }));
    const made = structuredClone(scenario.links);
    made.forEach((link, i) => {
      if (i !== settings.bottleneck && i !== settings.bottleneck + 1) return;
      if (i === settings.bottleneck) {
        link.rate_bps = state.rate * 1e6;
        link.queue_packets = state.queue;
        link.loss_per_packet = state.loss;
      }
      const [first, ...changes] = delays(seen.sky, seen.holds, link.rate_bps, orbit);
      link.delay_s = first[1] / NS;
      link.changes = changes.map(([at, delay]) => ({ at_s: at / NS, delay_s: delay / NS }));
      link.outages = silent;
    });
    return made;
  }

  // --- the map

  const degrees = (radians) => (180 * radians) / Math.PI;

  function below(at) {
    return [degrees(Math.atan2(at[1], at[0])), degrees(Math.asin(at[2] / Math.hypot(...at)))];
  }

  function drawMap(canvas, settings, state, atS) {
    const { orbit } = settings;
    const seen = view(settings, state);
    const style = getComputedStyle(canvas);
    const scale = window.devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const height = width / 2;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    const x = (longitude) => ((longitude + 180) / 360) * width;
    const y = (latitude) => ((90 - latitude) / 180) * height;
    pen.clearRect(0, 0, width, height);
    pen.fillStyle = style.getPropertyValue("--lab-land");
    pen.beginPath(); // one path, so that a ring the other way round is a hole: the Caspian Sea
    for (const [first, ...others] of orbit.land) {
      pen.moveTo(x(first[0]), y(first[1]));
      for (const [longitude, latitude] of others) pen.lineTo(x(longitude), y(latitude));
      pen.closePath();
    }
    pen.fill();
    const hold = seen.holds.find((one) => atS * NS < one.end) ?? seen.holds.at(-1);
    const positions = seen.sky.moving.positions(seen.sky.start + atS);
    const overhead = new Set(seen.sky.overland([positions], seen.sky.user));
    const dot = Math.max(0.7, width / 700);
    positions.forEach((at, i) => {
      const [longitude, latitude] = below(at);
      pen.fillStyle = overhead.has(i) ? "#e69f00" : style.getPropertyValue("--lab-satellite");
      pen.beginPath();
      pen.arc(x(longitude), y(latitude), overhead.has(i) ? 2 * dot : dot, 0, 7);
      pen.fill();
    });
    const line = (ends, colour, dash) => {
      pen.strokeStyle = colour;
      pen.lineWidth = 2;
      pen.setLineDash(dash);
      for (let i = 1; i < ends.length; i++) {
        const [[a, b], [c, d]] = [ends[i - 1], ends[i]];
        const over = Math.abs(c - a) > 180 ? (c < a ? 360 : -360) : 0; // across the date line
        for (const shift of over ? [0, -over] : [0]) {
          pen.beginPath();
          pen.moveTo(x(a + shift), y(b));
          pen.lineTo(x(c + over + shift), y(d));
          pen.stroke();
        }
      }
      pen.setLineDash([]);
    };
    const town = (one) => [one.longitude > 180 ? one.longitude - 360 : one.longitude, one.latitude];
    const { user, server } = seen.sky;
    const way = hold.satellites.map((i) => below(positions[i]));
    if (hold.satellites.length) {
      const down = hold.station ?? server;
      line([town(user), ...way, town(down)], "#d55e00", []);
      if (hold.station) line([town(hold.station), town(server)], "#0072b2", [4, 3]);
    }
    pen.font = "12px sans-serif";
    for (const [one, named] of [[hold.station, false], [user, true], [server, true]]) {
      if (!one) continue;
      const [longitude, latitude] = town(one);
      pen.fillStyle = style.color;
      pen.beginPath();
      pen.arc(x(longitude), y(latitude), 3, 0, 7);
      pen.fill();
      if (!named) continue;
      const wide = pen.measureText(one.name).width;
      pen.fillText(one.name, Math.min(x(longitude) + 5, width - wide - 2), y(latitude) - 5);
    }
    if (!hold.satellites.length) return { satellites: [], delayS: NaN };
    return { satellites: hold.satellites, station: hold.station?.name ?? "", delayS: seen.sky.delayS(hold, atS) };
  }

  return { links, problem, drawMap, view };
})();
