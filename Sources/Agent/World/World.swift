// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc

/// The world around a simulated board, which `SimulatedBoard` makes from the board file's `[world]`: what its
/// sensors would feel at any time. A pure function of time and seed.
///
/// The timeline repeats when it is over. Before `start` it is at its beginning.
package struct World: Sendable {
    /// A place on the earth, in degrees.
    package struct Position: Sendable, Hashable {
        /// North is positive.
        package let latitude: Double
        /// East is positive.
        package let longitude: Double

        /// The place that many metres to the north and to the east.
        func moved(by metres: SIMD2<Double>) -> Position {
            let perDegree = 111_320.0  // metres of a degree of latitude
            return Position(
                latitude: latitude + metres.x / perDegree,
                longitude: longitude + metres.y / (perDegree * cos(latitude * .pi / 180)))
        }
    }

    /// The segment of the timeline that is under way.
    package struct Scene: Sendable, Hashable {
        package let activity: WorldActivity
        /// Seconds since the segment began.
        package let seconds: Double
        /// In seconds.
        package let duration: Double
        /// The segment's index in the timeline.
        package let segment: Int
        /// How often the timeline was over before.
        package let repetition: Int
    }

    /// Steps per second.
    private static let stepRate = 1.8
    /// Metres per second.
    private static let walkingSpeed = 1.3
    /// The earth's field in µT, as in central Europe: the part to the north and the part
    /// into the ground.
    private static let field = (north: 20.0, down: 44.0)

    private let segments: [WorldSegment]
    private let start: MonotonicTime
    /// Seconds from the timeline's beginning to each segment's end.
    private let ends: [Double]
    private let recording: RecordedMotion?
    private let home: Position
    private let noise: SeededNoise

    /// A world that runs `segments` from `start` on; nil where there are none, or where one is
    /// without a length.
    package init?(
        segments: [WorldSegment], start: MonotonicTime = .zero, seed: UInt64 = 1, recording: RecordedMotion? = nil,
        home: Position = Position(latitude: 52.4, longitude: 13.05)
    ) {
        guard !segments.isEmpty, segments.allSatisfy({ $0.duration > .zero }) else { return nil }
        var end = 0.0
        ends = segments.map { segment in
            end += segment.duration.seconds
            return end
        }
        (self.segments, self.start, self.recording, self.home) = (segments, start, recording, home)
        noise = SeededNoise(seed: seed)
    }

    package init(
        script: String, start: MonotonicTime = .zero, seed: UInt64 = 1, recording: RecordedMotion? = nil
    ) throws(WorldScriptError) {
        let segments = try WorldScript(script, recording: recording?.duration).segments
        guard let world = World(segments: segments, start: start, seed: seed, recording: recording) else {
            throw WorldScriptError(line: 1, statement: script, problem: .empty)
        }
        self = world
    }

    package func scene(at time: MonotonicTime) -> Scene {
        let total = ends[ends.count - 1]
        let passed = max(0, (time - start).seconds)
        let repetition = (passed / total).rounded(.down)
        let seconds = passed - repetition * total
        let index = min(ends.partitioningIndex { $0 > seconds }, ends.count - 1)
        let duration = segments[index].duration.seconds
        return Scene(
            activity: segments[index].activity, seconds: seconds - (ends[index] - duration), duration: duration,
            segment: index, repetition: Int(repetition))
    }

    /// Acceleration in g in the board's axes: +1 on the axis that points up when nothing moves.
    package func acceleration(at time: MonotonicTime) -> SIMD3<Double> {
        let scene = scene(at: time)
        if scene.activity == .replay, let recording { return recording.acceleration(at: scene.seconds) }
        return tilted(SIMD3(0, 0, 1) + movement(scene), by: tilt(scene))
    }

    /// Magnetic field in µT in the board's axes; it turns with the heading.
    package func magneticField(at time: MonotonicTime) -> SIMD3<Double> {
        let scene = scene(at: time)
        let heading = heading(scene)
        let level = SIMD3(Self.field.north * cos(heading), Self.field.north * sin(heading), -Self.field.down)
        return tilted(level, by: tilt(scene))
    }

    /// Angular rate in deg/s about the board's axes: what changes tilt and heading within an
    /// activity. 0 in a replay of a recording without it.
    package func angularRate(at time: MonotonicTime) -> SIMD3<Double> {
        let scene = scene(at: time)
        let degrees = 180 / Double.pi
        switch scene.activity {
        case .turn: return SIMD3(360 / scene.duration, 0, 0)
        case .walk:
            // The heading counts from north to east, against the turn about the upward axis.
            let swing = 0.15 * 2 * Double.pi / 20 * cos(2 * .pi * scene.seconds / 20) * degrees
            return tilted(SIMD3(0, 0, -swing), by: tilt(scene))
        default: return .zero
        }
    }

    /// Where the board is: it moves only while its wearer walks.
    package func position(at time: MonotonicTime) -> Position {
        let scene = scene(at: time)
        var metres = walked(before: segments.count) * Double(scene.repetition) + walked(before: scene.segment)
        if scene.activity == .walk { metres += walkingVelocity(in: scene.segment) * scene.seconds }
        return home.moved(by: metres)
    }

    /// Sound pressure level in dB, equivalent over a second or so.
    package func soundLevel(at time: MonotonicTime) -> Double {
        switch scene(at: time).activity {
        case .still: 30
        case .lie: 35
        case .rest, .turn: 40
        case .replay: 45
        case .walk: 52
        case .talk: 62
        case .tone: 70
        }
    }

    // MARK: Body

    /// Radians between the board's z axis and up, about its x axis.
    private func tilt(_ scene: Scene) -> Double {
        switch scene.activity {
        case .walk: 1.3
        case .rest, .talk: 0.25
        case .lie: .pi / 2
        case .turn: 2 * .pi * scene.seconds / scene.duration
        case .still, .tone, .replay: 0
        }
    }

    /// Radians from north to east: a quarter turn from segment to segment, and a slow
    /// swing while walking.
    private func heading(_ scene: Scene) -> Double {
        let swing = scene.activity == .walk ? 0.15 * sin(2 * .pi * scene.seconds / 20) : 0
        return direction(of: scene.segment) + swing
    }

    /// Radians from north to east.
    private func direction(of segment: Int) -> Double { Double(segment % 4) * .pi / 2 }

    /// Metres per second to the north and to the east.
    private func walkingVelocity(in segment: Int) -> SIMD2<Double> {
        SIMD2(cos(direction(of: segment)), sin(direction(of: segment))) * Self.walkingSpeed
    }

    /// Metres to the north and to the east that the segments before that one cover.
    private func walked(before segment: Int) -> SIMD2<Double> {
        segments[..<segment].enumerated().reduce(.zero) { sum, entry in
            guard entry.element.activity == .walk else { return sum }
            return sum + walkingVelocity(in: entry.offset) * entry.element.duration.seconds
        }
    }

    /// Movement in g: forwards, to the left, upwards.
    private func movement(_ scene: Scene) -> SIMD3<Double> {
        switch scene.activity {
        case .walk: gait(scene.seconds)
        case .rest, .talk: SIMD3(repeating: 0.004 * sin(2 * .pi * 0.25 * scene.seconds)) + fidget(scene)
        case .lie: SIMD3(0, 0, 0.003 * sin(2 * .pi * 0.2 * scene.seconds))
        case .still, .turn, .tone, .replay: .zero
        }
    }

    /// Each step shakes the body up and down and forwards, every second one to the same side.
    private func gait(_ seconds: Double) -> SIMD3<Double> {
        let phase = 2 * .pi * Self.stepRate * seconds
        return SIMD3(
            0.15 * sin(phase + 1.2) + 0.05 * sin(2 * phase), 0.08 * sin(phase / 2),
            0.30 * sin(phase) + 0.10 * sin(2 * phase + 0.6) + 0.04 * sin(3 * phase))
    }

    /// Now and then a small jerk: one second in ten, drawn by the seed.
    private func fidget(_ scene: Scene) -> SIMD3<Double> {
        let second = scene.seconds.rounded(.down)
        let draw = Int(second) + 100_000 * scene.segment + 7 * scene.repetition
        guard noise.uniform(draw) < 0.1 else { return .zero }
        let bump = sin(.pi * (scene.seconds - second))
        return noise.stream(1).vector(draw) * 0.02 * bump
    }

    /// The same vector seen by a board that is turned about its x axis.
    private func tilted(_ vector: SIMD3<Double>, by angle: Double) -> SIMD3<Double> {
        let (sine, cosine) = (sin(angle), cos(angle))
        return SIMD3(vector.x, vector.y * cosine + vector.z * sine, vector.z * cosine - vector.y * sine)
    }
}
