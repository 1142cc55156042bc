// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc

/// What a participant does over days, and what a device on the wrist feels of it. A pure function of
/// time and seed; times are seconds since the first midnight.
///
/// `studyd-tools` makes recordings of whole studies from it. `init` plans all days; the rest are look-ups,
/// made for every sample of weeks, so each segment keeps what is constant within it.
package struct DailyLife: Sendable {
    /// A span of one activity, or of a part of it in one posture.
    package struct Segment: Sendable {
        package let activity: LifeActivity
        package let start: Double
        package fileprivate(set) var end: Double
        /// Unit vectors in the device's axes: upwards, forwards and to the left.
        fileprivate let up: SIMD3<Double>
        fileprivate let forward: SIMD3<Double>
        fileprivate let left: SIMD3<Double>
        /// Where it begins and ends, in metres to the north and to the east of home.
        fileprivate let from: SIMD2<Double>
        fileprivate let to: SIMD2<Double>
        /// Steps per second; 0 where nothing is walked.
        package let stepRate: Double
        /// Seconds of stirring with which it begins.
        fileprivate let stirring: Double
        /// When the device was last put on, or taken off where it is not worn; long before the first midnight
        /// at first.
        fileprivate var since = -100_000.0
        /// Selects the noise of this segment.
        fileprivate let number: Int
    }

    private let segments: [Segment]
    private let starts: [Double]
    private let home: World.Position
    private let noise: SeededNoise

    /// A life of the given midnights, the last of which is its end; `away` are hours from a day's
    /// midnight in which the device is not worn.
    package init(
        midnights: [Double], away: [Int: ClosedRange<Double>] = [:], seed: UInt64,
        home: World.Position = .init(latitude: 52.4, longitude: 13.05)
    ) {
        var planner = LifePlanner(seed: seed)
        for day in midnights.indices.dropLast() {
            planner.addDay(from: midnights[day], to: midnights[day + 1], number: day, away: away[day])
        }
        segments = Self.withWearTimes(planner.segments)
        starts = segments.map(\.start)
        noise = SeededNoise(seed: seed).stream(1)
        self.home = home
    }

    /// The segments with `since` set.
    private static func withWearTimes(_ segments: [Segment]) -> [Segment] {
        var segments = segments
        for (last, index) in segments.indices.dropFirst().enumerated() {
            let isChange = (segments[last].activity == .notWorn) != (segments[index].activity == .notWorn)
            segments[index].since = isChange ? segments[index].start : segments[last].since
        }
        return segments
    }

    package func activity(at seconds: Double) -> LifeActivity { segment(at: seconds).activity }

    /// Acceleration in g in the device's axes: +1 on the axis that points up when nothing moves.
    package func acceleration(at seconds: Double) -> SIMD3<Double> {
        let index = index(at: seconds)
        let segment = segments[index]
        let time = seconds - segment.start
        var force = posture(segment, index, time)
        // Amplitudes in g, frequencies in rad/s: breath (1.6), the shaking of a vehicle (69 and 9.1).
        switch segment.activity {
        case .walk: force += gait(segment, time)
        case .sleep: force += segment.up * (0.003 * sin(1.6 * time)) + stir(segment, time, 0.12)
        case .sit: force += fidget(segment, time) + stir(segment, time, 0.10)
        case .ride:
            let shaking = 0.03 * sin(69 * time) + 0.02 * sin(9.1 * time)
            force += segment.up * shaking + fidget(segment, time)
        case .notWorn: break
        }
        return force
    }

    /// Angular rate in deg/s about the device's axes.
    package func angularRate(at seconds: Double) -> SIMD3<Double> {
        let segment = segment(at: seconds)
        guard segment.activity == .walk else { return .zero }
        return segment.left * (45 * cos(.pi * segment.stepRate * (seconds - segment.start)))
    }

    /// Magnetic field in µT in the device's axes, as in central Europe.
    package func magneticField(at seconds: Double) -> SIMD3<Double> {
        let segment = segment(at: seconds)
        let course = segment.to - segment.from
        let heading = course == .zero ? 0 : atan2(course.y, course.x)
        return segment.forward * (20 * cos(heading)) + segment.left * (20 * sin(heading)) - segment.up * 44
    }

    /// Degrees Celsius of the device: the skin warms it in some minutes, and a room cools it.
    package func temperature(at seconds: Double) -> Double {
        let segment = segment(at: seconds)
        let share = exp(-(seconds - segment.since) / 420)
        return segment.activity == .notWorn ? 22 + 11 * share : 33 - 11 * share
    }

    /// The position as a receiver finds it, some metres off.
    package func position(at seconds: Double) -> World.Position {
        let segment = segment(at: seconds)
        let share = min(1, max(0, (seconds - segment.start) / (segment.end - segment.start)))
        let drift = SIMD2(sin(seconds / 97) + sin(seconds / 41), cos(seconds / 83) + sin(seconds / 29)) * 1.5
        return home.moved(by: segment.from + (segment.to - segment.from) * share + drift)
    }

    /// Sound pressure level in dB, equivalent over a second or so.
    package func soundLevel(at seconds: Double) -> Double {
        let segment = segment(at: seconds)
        let swing = 2 * sin(seconds / 7) + 2 * noise.uniform(Int(seconds))
        let isTalk = noise.uniform(Int(seconds / 40) &+ 1_000_000_000) < 0.25
        return switch segment.activity {
        case .sleep: 31 + swing / 4
        case .notWorn: 36 + swing / 4
        case .sit: (isTalk ? 61 : 44) + swing
        case .walk: 57 + swing
        case .ride: 68 + swing
        }
    }

    /// Spans of one activity each, in order.
    package var spans: [(activity: LifeActivity, start: Double, end: Double)] {
        var spans: [(activity: LifeActivity, start: Double, end: Double)] = []
        for segment in segments {
            if let last = spans.last, last.activity == segment.activity {
                spans[spans.count - 1].end = segment.end
            } else {
                spans.append((segment.activity, segment.start, segment.end))
            }
        }
        return spans
    }

    /// Every bout of walking, with its steps per second.
    package var walks: [(start: Double, end: Double, stepRate: Double)] {
        segments.filter { $0.activity == .walk }.map { ($0.start, $0.end, $0.stepRate) }
    }

    private func segment(at seconds: Double) -> Segment { segments[index(at: seconds)] }

    private func index(at seconds: Double) -> Int { max(0, starts.partitioningIndex { $0 > seconds } - 1) }

    // MARK: Body

    /// A change of posture takes this many seconds.
    private static let turning = 3.0

    private func posture(_ segment: Segment, _ index: Int, _ time: Double) -> SIMD3<Double> {
        guard time < Self.turning, index > 0 else { return segment.up }
        let share = time / Self.turning
        let smooth = share * share * (3 - 2 * share)  // begins and ends without a jerk
        let between = segments[index - 1].up * (1 - smooth) + segment.up * smooth
        let length = (between * between).sum().squareRoot()
        return length > 0.1 ? between / length : segment.up
    }

    /// Each step shakes the body up and down and forwards; the arm swings once in two steps.
    private func gait(_ segment: Segment, _ time: Double) -> SIMD3<Double> {
        let phase = 2 * .pi * segment.stepRate * time
        let (sine, double) = (sin(phase), sin(2 * phase + 0.6))
        return segment.up * (0.28 * sine + 0.10 * double) + segment.forward * (0.14 * sin(phase + 1.2))
            + segment.left * (0.12 * sin(phase / 2))
    }

    /// In the first seconds of a new posture: what moved the body there.
    private func stir(_ segment: Segment, _ time: Double, _ strength: Double) -> SIMD3<Double> {
        guard time < segment.stirring else { return .zero }
        let wave = sin(2 * .pi * 0.9 * time) + 0.6 * sin(2 * .pi * 1.7 * time + 1)
        return (segment.forward + segment.left * 0.5) * (strength * wave)
    }

    /// Small movements of the hand: one in about twelve seconds, each of up to four.
    private func fidget(_ segment: Segment, _ time: Double) -> SIMD3<Double> {
        let slot = Int(time / 4)
        let draw = noise.uniform(slot &+ segment.number &* 100_000)
        guard draw < 0.35 else { return .zero }
        let strength = 0.02 + 0.3 * draw
        let inside = time - Double(slot) * 4
        let bump = sin(.pi * inside / 4)
        return (segment.left + segment.forward * (draw * 2))
            * (strength * bump * sin(2 * .pi * (0.8 + 3 * draw) * inside))
    }
}

/// What a participant does.
package enum LifeActivity: String, Sendable, CaseIterable {
    case sleep, sit, walk, ride, notWorn
}

/// Draws the segments of days: a night, a way to work and back on five days of seven, and what lies
/// between.
private struct LifePlanner {
    private(set) var segments: [DailyLife.Segment] = []
    private let noise: SeededNoise
    private var draws = 0
    /// Where the last segment ends, and where work is: metres to the north and to the east of home.
    private var place = SIMD2<Double>.zero
    private let work: SIMD2<Double>

    /// Metres per second.
    private static let walkingSpeed = 1.35
    private static let ridingSpeed = 8.5
    /// Seconds.
    private static let hour = 3600.0
    /// On the back, on either side and on the belly: the upward direction in the device's axes.
    private static let lying: [SIMD3<Double>] = [
        SIMD3(0.1, 0.2, 0.97), SIMD3(0.15, 0.95, 0.25), SIMD3(-0.2, -0.93, 0.3), SIMD3(0.1, 0.3, -0.94),
    ]

    init(seed: UInt64) {
        noise = SeededNoise(seed: seed)
        let angle = 2 * Double.pi * noise.uniform(-7)
        work = SIMD2(cos(angle), sin(angle)) * (6_000 + 4_000 * noise.uniform(-8))
    }

    private mutating func draw(_ range: ClosedRange<Double>) -> Double {
        draws += 1
        return range.lowerBound + (range.upperBound - range.lowerBound) * noise.uniform(draws)
    }

    mutating func addDay(from start: Double, to end: Double, number: Int, away: ClosedRange<Double>?) {
        let first = segments.count
        sleep(from: start, until: start + draw(6.6...7.2) * Self.hour)
        sit(until: now + draw(0.5...0.9) * Self.hour)
        if number % 7 < 5 { spendAtWork(start) } else { spendAtHome(start) }
        sit(until: min(start + draw(22.7...23.2) * Self.hour, end - 60))
        sleep(from: now, until: end)
        segments[segments.count - 1].end = end
        if let away {
            takeOff(from: start + away.lowerBound * Self.hour, to: start + away.upperBound * Self.hour, first)
        }
    }

    private var now: Double { segments.last?.end ?? 0 }

    private mutating func spendAtWork(_ start: Double) {
        commute(to: work)
        rest(until: start + draw(12.1...12.5) * Self.hour)
        stroll(draw(500...900))
        rest(until: start + draw(16.5...17.3) * Self.hour)
        commute(to: .zero)
        rest(until: start + draw(19...20) * Self.hour)
        stroll(draw(0...1_600))
    }

    private mutating func spendAtHome(_ start: Double) {
        rest(until: start + draw(10...11) * Self.hour)
        stroll(draw(1_200...3_600))
        rest(until: start + draw(15...16) * Self.hour)
        stroll(draw(1_200...2_700))
    }

    /// On foot, by bus, on foot.
    private mutating func commute(to goal: SIMD2<Double>) {
        let way = goal - place
        let length = (way * way).sum().squareRoot()
        guard length > 1 else { return }
        let (near, far) = (draw(500...800), draw(300...500))
        let (stop, exit) = (place + way * (near / length), goal - way * (far / length))
        walk(near / Self.walkingSpeed, to: stop)
        sit(until: now + draw(120...420))
        move(.ride, for: (length - near - far) / Self.ridingSpeed, to: exit)
        walk(far / Self.walkingSpeed, to: goal)
    }

    /// Sits, and gets up for some minutes now and then.
    private mutating func rest(until end: Double) {
        while now < end - 600 {
            sit(until: min(end, now + draw(1_200...3_300)))
            if now < end - 600 { stroll(draw(60...260)) }
        }
        sit(until: end)
    }

    private mutating func stroll(_ seconds: Double) {
        let angle = draw(0...6.28)
        let back = place
        let half = seconds / 2
        guard half >= 20 else { return }
        walk(half, to: place + SIMD2(cos(angle), sin(angle)) * (half * Self.walkingSpeed))
        walk(half, to: back)
    }

    private mutating func walk(_ seconds: Double, to goal: SIMD2<Double>) { move(.walk, for: seconds, to: goal) }

    private mutating func sit(until end: Double) {
        while now < end {
            let until = min(end, now + draw(150...500))
            let up = SIMD3(draw(-0.5...0.5), draw(-0.5...0.5), draw(0.6...1))
            add(.sit, until: end - until < 60 ? end : until, up: up, stirring: draw(2...7))
        }
    }

    /// Turns over every quarter of an hour or so, and in three of ten cases stirs for minutes.
    private mutating func sleep(from start: Double, until end: Double) {
        if segments.isEmpty { add(.sleep, until: start + 60, up: Self.lying[0], stirring: 5) }
        while now < end {
            let until = min(end, now + draw(420...1_500))
            let lying = Self.lying[Int(draw(0...3.99))]
            let up = lying + SIMD3(draw(-0.15...0.15), draw(-0.15...0.15), draw(-0.15...0.15))
            add(
                .sleep, until: end - until < 60 ? end : until, up: up,
                stirring: draw(0...1) < 0.3 ? draw(60...200) : draw(5...20))
        }
    }

    private mutating func move(_ activity: LifeActivity, for seconds: Double, to goal: SIMD2<Double>) {
        let up = activity == .walk ? SIMD3(0.9, draw(-0.2...0.2), draw(0.1...0.4)) : SIMD3(0.2, 0.3, 0.9)
        add(activity, until: now + max(1, seconds), up: up, to: goal, stepRate: activity == .walk ? draw(1.8...2.2) : 0)
    }

    private mutating func add(
        _ activity: LifeActivity, until end: Double, up: SIMD3<Double>, to goal: SIMD2<Double>? = nil,
        stepRate: Double = 0, stirring: Double = 0
    ) {
        guard end > now || segments.isEmpty else { return }
        segments.append(
            Self.segment(
                activity, from: now, until: end, up: up, places: (place, goal ?? place), stepRate: stepRate,
                stirring: stirring, number: segments.count))
        place = goal ?? place
    }

    /// Replaces `start` to `end` of the segments from index `first` on by one in which the device lies on a
    /// table, at the participant's place at `start`.
    private mutating func takeOff(from start: Double, to end: Double, _ first: Int) {
        let place = segments.last { $0.start <= start }?.from ?? .zero
        let table = Self.segment(
            .notWorn, from: start, until: end, up: SIMD3(0.02, -0.03, 1), places: (place, place), number: 1)
        var kept = segments[..<first].map { $0 }
        for segment in segments[first...] {
            if segment.start < start {
                var part = segment
                part.end = min(segment.end, start)
                kept.append(part)
            }
            if segment.start < end, end <= segment.end { kept.append(table) }
            if segment.end > end {
                kept.append(
                    Self.segment(
                        segment.activity, from: max(segment.start, end), until: segment.end, up: segment.up,
                        places: (segment.from, segment.to), stepRate: segment.stepRate, stirring: segment.stirring,
                        number: segment.number))
            }
        }
        segments = kept
    }

    /// A segment in which the device points upwards with `up`; forwards and to the left are level, and otherwise
    /// arbitrary.
    private static func segment(
        _ activity: LifeActivity, from start: Double, until end: Double, up: SIMD3<Double>,
        places: (SIMD2<Double>, SIMD2<Double>), stepRate: Double = 0, stirring: Double = 0, number: Int
    ) -> DailyLife.Segment {
        let up = up / (up * up).sum().squareRoot()
        let aside = abs(up.x) < 0.8 ? SIMD3<Double>(1, 0, 0) : SIMD3(0, 1, 0)
        let level = aside - up * (aside * up).sum()
        let forward = level / (level * level).sum().squareRoot()
        let left = SIMD3(
            up.y * forward.z - up.z * forward.y, up.z * forward.x - up.x * forward.z,
            up.x * forward.y - up.y * forward.x)
        return DailyLife.Segment(
            activity: activity, start: start, end: end, up: up, forward: forward, left: left, from: places.0,
            to: places.1, stepRate: stepRate, stirring: stirring, number: number)
    }
}
