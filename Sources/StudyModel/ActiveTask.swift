// SPDX-License-Identifier: Apache-2.0

/// Something that is performed on the buttons, not answered.
public enum ActiveTask: Sendable, Hashable {
    case kickCounter(KickCounterRules)
    case spatialSpan(SpatialSpanRules)
    case towerOfHanoi(TowerOfHanoiRules)
    case vigilance(VigilanceRules)

    /// As the platform spells it: `fetalKickCounter`, `spatialSpanMemory`, `towerOfHanoi` of FDA MyStudies, `pvt` of momenTUM.
    public var name: String {
        switch self {
        case .kickCounter: "fetalKickCounter"
        case .spatialSpan: "spatialSpanMemory"
        case .towerOfHanoi: "towerOfHanoi"
        case .vigilance: "pvt"
        }
    }

    /// What is wrong with its parameters, in words; empty where it can be performed.
    public var problems: [String] {
        switch self {
        case .kickCounter(let rules): rules.problems
        case .spatialSpan(let rules): rules.problems
        case .towerOfHanoi(let rules): rules.problems
        case .vigilance(let rules): rules.problems
        }
    }
}

/// How long and how far a kick counter counts.
public struct KickCounterRules: Sendable, Hashable {
    /// Counting ends when so much time has passed since its first press; up to a day.
    public let duration: Duration
    /// Counting ends with this kick.
    public let count: Int

    /// Counting within these limits; whether they can be kept is said by `problems`.
    public init(duration: Duration, count: Int) {
        self.duration = duration
        self.count = count
    }

    var problems: [String] {
        var problems: [String] = []
        if duration <= .zero || duration > .seconds(86_400) { problems.append("the duration is not within a day") }
        if !(1...9_999).contains(count) { problems.append("the count of kicks is not from 1 to 9999") }
        return problems
    }
}

/// How a spatial span memory test is played.
///
/// Source: the limits of ResearchKit's ORKSpatialSpanMemoryStep, which refuses anything else; `minimumSpan` may be below 2.
public struct SpatialSpanRules: Sendable, Hashable {
    /// Length of the first sequence; from 2.
    public let initialSpan: Int
    /// No sequence is shorter; below 1 counts as 1.
    public let minimumSpan: Int
    /// No sequence is longer; up to 20.
    public let maximumSpan: Int
    /// From one target to the next; each is lit for half of it. 0.5 s to 20 s.
    public let period: Duration
    /// Games after which the test ends; from 1.
    public let maximumGames: Int
    /// Failures in a row after which the test ends; from 1.
    public let maximumFailures: Int
    /// The participant gives the reverse of what was shown.
    public let requiresReversal: Bool
    /// What the targets are called: `flowers`.
    public let targetName: String

    /// A test of these parameters; whether it can be played is said by `problems`.
    public init(
        initialSpan: Int, minimumSpan: Int, maximumSpan: Int, period: Duration, maximumGames: Int,
        maximumFailures: Int, requiresReversal: Bool = false, targetName: String = "flowers"
    ) {
        self.initialSpan = initialSpan
        self.minimumSpan = minimumSpan
        self.maximumSpan = maximumSpan
        self.period = period
        self.maximumGames = maximumGames
        self.maximumFailures = maximumFailures
        self.requiresReversal = requiresReversal
        self.targetName = targetName
    }

    var problems: [String] {
        var problems: [String] = []
        if initialSpan < 2 { problems.append("the initial span \(initialSpan) is below 2") }
        if minimumSpan > initialSpan { problems.append("the minimum span \(minimumSpan) is above the initial one") }
        if initialSpan > maximumSpan { problems.append("the initial span \(initialSpan) is above the maximum one") }
        if maximumSpan > 20 { problems.append("the maximum span \(maximumSpan) is above 20") }
        if period < .milliseconds(500) || period > .seconds(20) {
            problems.append("the play speed is not from 0.5 s to 20 s")
        }
        if !(1...1_000).contains(maximumGames) { problems.append("the number of tests is not from 1 to 1000") }
        if maximumFailures < 1 { problems.append("the number of consecutive failures is below 1") }
        return problems
    }
}

/// How many disks are moved.
public struct TowerOfHanoiRules: Sendable, Hashable {
    /// All on the first tower at the beginning; the shortest way takes 2ⁿ − 1 moves.
    public let disks: Int

    /// A puzzle of that many disks.
    public init(disks: Int) { self.disks = disks }

    /// More than ten disks take over a thousand moves: nobody's test.
    var problems: [String] { (1...10).contains(disks) ? [] : ["the number of disks \(disks) is not from 1 to 10"] }
}
