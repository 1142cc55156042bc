// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Testing

@testable import Study

private let hasPython = system("python3 -c '' >/dev/null 2>&1") == 0

/// Every figure of an active task against the apps' own rules, written down a second time in
/// `Scoring/apps.py` from the apps' sources: a thousand random press scripts a task, with menus,
/// presses that mean nothing, and programs that are killed in the middle and started again.
@Suite(.enabled(if: hasPython, "SKIPPED: no python3 to compare the scoring with the apps'"))
struct ScoringTests {
    static let plays = 1_000

    /// A machine in virtual time, with fingers: what it tells, shows and keeps.
    struct Bench {
        let panel: Panel
        private(set) var machine: any QuestionMachine
        private var recogniser: GestureRecogniser
        private(set) var now: MonotonicTime
        private(set) var told: [(cue: Cue, at: MonotonicTime)] = []
        private(set) var rows: [(values: [String: Double], at: MonotonicTime)] = []
        private(set) var performance: Performance?
        private(set) var ended: MonotonicTime?
        /// The press that is down was taken as it is, as `TaskRun` does: only the long hold for
        /// the menu is left.
        private var isTaken = false
        private var pressed = MonotonicTime.zero

        init(
            _ task: ActiveTask, on panel: Panel, seed: UInt64, at time: MonotonicTime,
            progress: BrokenPerformance? = nil
        ) {
            self.panel = panel
            now = time
            machine = ActiveTaskKind(task: task).machine(
                in: QuestionContext(
                    panel: panel, now: PanelFixtures.now, recordingID: "r", generator: SplitMix64(seed: seed),
                    time: time,
                    progress: progress))
            recogniser = GestureRecogniser(panel)
            take(machine.begin())
        }

        private mutating func take(_ effects: [QuestionEffect]) {
            for effect in effects {
                switch effect {
                case .say(let cue):
                    told.append((cue, now))
                    if case .stimulus(let mark?, _, _) = cue {
                        send(.device(.shown(ShownLight(mark: mark, began: now, ended: now))))
                    }
                case .progress(let progress): rows.append((progress.values, now))
                case .answered(.performance(let performance)): (self.performance, ended) = (performance, now)
                default: break
                }
            }
        }

        mutating func send(_ event: QuestionEvent) { if performance == nil { take(machine.handle(event)) } }

        mutating func advance(to time: MonotonicTime) {
            // A step that asks to be called again at once for ever must not hang the test.
            var turns = 0
            while performance == nil, turns < 10_000, let wake = earliest(machine.wake, recogniser.wake), wake <= time {
                turns += 1
                now = max(now, wake)
                recognise(recogniser.tick(at: now))
                if let wake = machine.wake, wake <= now { send(.tick(now)) }
            }
            now = max(now, time)
        }

        mutating func wait(_ duration: Duration) { advance(to: now + duration) }

        private mutating func recognise(_ recognised: [GestureRecogniser.Recognised]) {
            for case .gesture(let gesture, let repeats) in recognised
            where !isTaken || gesture == .menu && now - pressed >= .seconds(2) {
                send(gesture == .menu ? .interrupted : .gesture(gesture, repeats: repeats))
            }
        }

        mutating func edge(_ button: Int, _ isPressed: Bool) {
            let edge = ButtonEvent(button: button, isPressed: isPressed, time: now)
            if isPressed { (isTaken, pressed) = (machine.takesPresses, now) }
            send(.edge(edge))
            recognise(recogniser.handle(edge))
        }

        mutating func press(_ button: Int, for hold: Duration = .milliseconds(60)) {
            edge(button, true)
            wait(hold)
            edge(button, false)
        }

        mutating func press(_ gesture: Gesture) {
            guard let pair = PressFinder(panel).edges(Press(gesture), at: now) else { return }
            press(pair[0].button, for: pair[1].time - pair[0].time)
        }

        /// Until a cue comes that fits; false where nothing more comes within an hour.
        mutating func reach(_ wanted: (Cue) -> Bool) -> Bool {
            let from = told.count
            let end = now + .seconds(3_600)
            while performance == nil, !told.dropFirst(from).contains(where: { wanted($0.cue) }) {
                guard let wake = machine.wake, wake <= end else { return false }
                advance(to: wake)
            }
            return told.dropFirst(from).contains { wanted($0.cue) }
        }
    }

    /// What one play was, for the reference.
    struct Play {
        let task: String
        var parameters: [String: Any] = [:]
        var script: [[String: Any]] = []
        var sent: [String: Any] = [:]
        var kept: [String: Any] = [:]

        init(_ task: String, _ parameters: [String: Any]) { (self.task, self.parameters) = (task, parameters) }

        /// Everything that platforms send of it: the figures and the fields.
        mutating func end(_ performance: Performance?) {
            guard let record = performance?.record else { return }
            let text = JSONText.object(record.fields).text
            sent = (try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]) ?? [:]
            for figure in record.figures {
                switch figure.value {
                case .whole(let number): sent[figure.name] = number
                case .number(let number): sent[figure.name] = number
                case .truth(let isTrue): sent[figure.name] = isTrue
                case .none: break
                }
            }
        }

        var json: [String: Any] {
            ["task": task, "parameters": parameters, "script": script, "sent": sent, "kept": kept]
        }
    }

    /// How many plays were compared, and what differs.
    static func compare(_ plays: [Play]) throws -> String {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Scoring/apps.py").path
        let file = FileManager.default.temporaryDirectory.appending(path: "scoring-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try JSONSerialization.data(withJSONObject: ["plays": plays.map(\.json)]).write(to: file)
        let pipe = try #require(popen("python3 '\(script)' < '\(file.path)' 2>&1", "r"))
        defer { pclose(pipe) }
        var output = Data()
        while case let byte = fgetc(pipe), byte != EOF { output.append(UInt8(truncatingIfNeeded: byte)) }
        return String(decoding: output, as: UTF8.self)
    }

    static func expectNoDifference(_ play: (inout SplitMix64, UInt64) -> Play) throws {
        var generator = SplitMix64(seed: 20)
        let all = (0..<plays).map { number in play(&generator, UInt64(number) &* 977 &+ 3) }
        let output = try compare(all)
        #expect(output.hasSuffix("\(plays) plays, 0 differences\n"), "\(output)")
    }

    static func seconds(_ time: MonotonicTime, since start: MonotonicTime = .zero) -> Double {
        Double((time - start).nanoseconds / 1_000) / 1e6
    }

    static let sixteen = ActiveTaskPlayTests.sixteen
    static let three = PanelFixtures.panel(["a", "b", "c"], led: .rgb, buzzer: .pitched, speaks: true)
    static let two = PanelFixtures.panel(["a", "b"], buzzer: .pitched, speaks: true)

    // MARK: - Spatial span

    @Test func theSpatialSpanScoresAsResearchKit() throws {
        try Self.expectNoDifference { draw, seed in
            let panel = draw.below(3) > 0 ? Self.sixteen : Self.three
            let initial = panel.buttons.count > 3 ? 2 + draw.below(3) : 2
            let rules = SpatialSpanRules(
                initialSpan: initial, minimumSpan: 1 + draw.below(initial), maximumSpan: initial + draw.below(6),
                period: .milliseconds(1_000 + 100 * draw.below(10)), maximumGames: 1 + draw.below(6),
                maximumFailures: 1 + draw.below(3), requiresReversal: draw.below(3) == 0)
            let board = SpanBoard(rules, on: panel)
            var play = Play(
                "spatialSpanMemory",
                [
                    "initialSpan": board.rules.initialSpan, "minimumSpan": max(board.rules.minimumSpan, 1),
                    "maximumSpan": board.rules.maximumSpan, "maximumTests": rules.maximumGames,
                    "maximumConsecutiveFailures": rules.maximumFailures, "requireReversal": rules.requiresReversal,
                    "targets": board.all.count,
                ])
            var bench = Bench(ActiveTask(rules), on: panel, seed: seed, at: .zero)
            var games: [[String: Any]] = []
            var begun = 0
            let killed = draw.below(4) == 0 ? 1 + draw.below(3) : 0
            for button in board.all { bench.press(button) }
            while bench.performance == nil, begun < 60 {
                begun += 1
                if begun == killed {
                    play.script.append(["kill": true])
                    games = []
                    bench = Bench(ActiveTask(rules), on: panel, seed: seed &+ 1, at: bench.now + .seconds(9))
                    for button in board.all { bench.press(button) }
                }
                let game = Self.spanGame(&bench, board, rules, &draw)
                games.append(game)
                play.script.append(game)
            }
            play.end(bench.performance)
            // The sizes are those of the result; an interrupted game is in it, too.
            let records = play.sent["gameRecords"] as? [[String: Any]] ?? []
            let first = play.script.count - games.count
            for (index, record) in records.enumerated() where first + index < play.script.count {
                play.script[first + index]["size"] = record["gameSize"]
            }
            play.kept["games"] = records.compactMap(Self.spanRecord)
            return play
        }
    }

    /// One game: what was shown, and every press on it.
    static func spanGame(
        _ bench: inout Bench, _ board: SpanBoard, _ rules: SpatialSpanRules, _ draw: inout SplitMix64
    ) -> [String: Any] {
        let before = bench.told.count
        bench.press(board.all[0])
        _ = bench.reach { $0 == .yourTurn }
        let opened = bench.told.last { $0.cue == .yourTurn }?.at ?? bench.now
        let lit = bench.told.dropFirst(before).compactMap {
            if case .target(let button, _) = $0.cue { button } else { nil }
        }
        let targets = board.targets(span: lit.count)
        let shown = lit.map { targets.firstIndex(of: $0) ?? -1 }
        let sequence = rules.requiresReversal ? Array(shown.reversed()) : shown
        var taps: [[Any]] = []
        var given = 0
        var isLeft = false
        func isOver() -> Bool {
            bench.performance != nil || bench.told.dropFirst(before).contains { $0.cue == .won || $0.cue == .lost }
        }
        while !isOver() {
            bench.wait(draw.below(25) == 0 ? .seconds(21) : .milliseconds(200 + draw.below(4_000)))
            guard !isOver() else { break }
            if draw.below(30) == 0 {
                bench.send(.interrupted)
                bench.send(.resumed)
                isLeft = true
                break
            }
            let pressed: Int
            switch draw.below(12) {
            case 0: pressed = targets[draw.below(targets.count)]
            case 1: pressed = targets[sequence[draw.below(given + 1)]]
            case 2: pressed = bench.panel.buttons.indices.last ?? 0
            default: pressed = targets[sequence[given]]
            }
            let tile = targets.firstIndex(of: pressed) ?? -1
            taps.append([seconds(bench.now, since: opened), tile])
            if tile == sequence[given] { given += 1 }
            bench.press(pressed)
        }
        return ["sequence": sequence, "shown": shown, "size": 0, "taps": taps, "left": isLeft]
    }

    static func spanRecord(_ record: [String: Any]) -> [String: Any]? {
        let names = ["unknown", "success", "failure", "timeout"]
        guard let status = record["gameStatus"] as? Int, status > 0,
            let touches = record["touchSamples"] as? [[String: Any]]
        else { return nil }
        return [
            "status": names[status], "score": record["score"] ?? 0,
            "correct": touches.map { [$0["targetIndex"] ?? 0, $0["correct"] ?? false] },
        ]
    }

    // MARK: - Tower of Hanoi

    @Test func theTowerOfHanoiCountsAsResearchKit() throws {
        try Self.expectNoDifference { draw, seed in
            let panel = draw.below(2) == 0 ? Self.three : Self.two
            let disks = 1 + draw.below(4)
            let task = ActiveTask(TowerOfHanoiRules(disks: disks))
            var play = Play("towerOfHanoi", ["numberOfDisks": disks])
            var bench = Bench(task, on: panel, seed: seed, at: .zero)
            var place = 0
            let killed = draw.below(4) == 0 ? draw.below(12) : -1
            for press in 0..<(5 + draw.below(80)) where bench.performance == nil {
                if press == killed {
                    play.script.append(["kill": true])
                    bench = Bench(task, on: panel, seed: seed, at: bench.now + .seconds(20))
                    place = 0
                }
                bench.wait(.milliseconds(100 + draw.below(3_000)))
                let tower = draw.below(3)
                while panel.layout != .three, place != tower {
                    bench.press(.next)
                    bench.wait(.milliseconds(100))
                    place = (place + 1) % 3
                }
                play.script.append(["at": Self.seconds(bench.now), "tower": tower])
                if panel.layout == .three { bench.press([0, 1, 2][tower]) } else { bench.press(.select) }
            }
            bench.send(.gaveUp)
            play.end(bench.performance)
            let moves = play.sent["moves"] as? [[String: Any]] ?? []
            play.kept["moves"] = moves.map {
                [$0["donorTowerIndex"] ?? -1, $0["recipientTowerIndex"] ?? -1, $0["timestamp"] ?? -1]
            }
            return play
        }
    }

    // MARK: - PSAT

    @Test func theAdditionTestScoresAsResearchKit() throws {
        try Self.expectNoDifference { draw, seed in
            let panel = draw.below(2) == 0 ? Self.three : Self.two
            let rules = PSATRules(
                interStimulusInterval: .milliseconds(1_000 + 250 * draw.below(17)), seriesLength: 3 + draw.below(10))
            let task = ActiveTask(rules)
            let interval = rules.interStimulusInterval
            var play = Play(
                "psat",
                ["interStimulusInterval": Double(interval.milliseconds) / 1_000, "seriesLength": rules.seriesLength])
            let (tens, ones) = panel.tapButtons ?? (0, 1)
            var start = MonotonicTime.zero
            var digits: [Int] = []
            var presses: [[String: Any]] = []
            let attempts = draw.below(4) == 0 ? 2 : 1
            for attempt in 1...attempts {
                if attempt > 1 { play.script.append(["kill": true]) }
                var bench = Bench(task, on: panel, seed: seed &+ UInt64(attempt), at: start + .seconds(5))
                bench.wait(.milliseconds(draw.below(3_000)))
                start = bench.now
                bench.press(ones)
                presses = []
                for index in 0...rules.seriesLength where attempt == attempts || index < 2 {
                    let due = start + interval * index
                    let digit = bench.told.compactMap {
                        if case .position(let text) = $0.cue { Int(text) } else { nil }
                    }
                    var adds: [Int] = []
                    switch draw.below(6) {
                    case 0: break
                    case 1: adds = (0..<(1 + draw.below(8))).map { _ in draw.below(3) == 0 ? 10 : 1 }
                    default:
                        let sum = digit.suffix(2).reduce(0, +)
                        adds = Array(repeating: 10, count: sum / 10) + Array(repeating: 1, count: sum % 10)
                    }
                    var at = max(due + .milliseconds(20 + draw.below(100)), bench.now)
                    for add in adds where at < due + interval - .milliseconds(50) {
                        bench.advance(to: at)
                        presses.append(["at": Self.seconds(bench.now, since: start), "adds": add])
                        bench.press(add == 10 ? tens : ones, for: .milliseconds(20))
                        at = bench.now + .milliseconds(10 + draw.below(150))
                    }
                    bench.advance(to: due + interval)
                }
                bench.wait(TimedStimulus.delivery)
                digits = bench.told.compactMap { if case .position(let text) = $0.cue { Int(text) } else { nil } }
                play.script += [["digits": digits]] + presses
                play.end(bench.performance)
            }
            return play
        }
    }

    // MARK: - Kick counter

    @Test func theKickCounterCountsAsMyStudies() throws {
        try Self.expectNoDifference { draw, seed in
            let panel = [PanelFixtures.one, Self.two, Self.three][draw.below(3)]
            let rules = KickCounterRules(duration: .seconds(30 + draw.below(300)), count: 1 + draw.below(15))
            let task = ActiveTask(rules)
            var play = Play(
                "fetalKickCounter", ["duration": Int(rules.duration.components.seconds), "kickCount": rules.count])
            var bench = Bench(task, on: panel, seed: seed, at: .zero)
            // The log has those of all starts.
            var rows: [(values: [String: Double], at: MonotonicTime)] = []
            var isEnded = false
            for _ in 0..<40 where bench.performance == nil && !isEnded {
                bench.wait(.milliseconds(300 + draw.below(25_000)))
                if bench.told.contains(where: { $0.cue == .recordingStopped }) { break }
                let at = Self.seconds(bench.now)
                switch draw.below(14) {
                case 0:
                    let off = Duration.milliseconds(500 + draw.below(60_000))
                    play.script.append(["at": at, "kill": true, "until": Self.seconds(bench.now + off)])
                    rows += bench.rows
                    let progress = rows.last.map { last in
                        BrokenPerformance(rows: rows.map(\.values), off: bench.now + off - last.at)
                    }
                    bench = Bench(task, on: panel, seed: seed, at: bench.now + off, progress: progress)
                case 1 where bench.machine.isUnderWay:
                    isEnded = Self.endCount(&bench)
                    if isEnded { play.script.append(["at": at, "ended": true]) }
                default:
                    if draw.below(3) == 0, panel.layout == .three {
                        bench.press(2, for: .milliseconds(30 + draw.below(500)))
                    } else {
                        bench.press(.next)
                    }
                    play.script.append(["at": at, "released": Self.seconds(bench.now), "press": true])
                }
            }
            if !play.script.contains(where: { $0["press"] != nil }) {
                let at = Self.seconds(bench.now)
                bench.press(.next)
                play.script.append(["at": at, "released": Self.seconds(bench.now), "press": true])
            }
            // The review takes presses two seconds after the end.
            bench.wait(rules.duration + .seconds(3))
            bench.press(.select)
            play.end(bench.performance)
            return play
        }
    }

    /// Asks for the end and confirms it; false where the time was over before that.
    static func endCount(_ bench: inout Bench) -> Bool {
        for gesture in [Gesture.select, .next, .select] {
            bench.press(gesture)
            bench.wait(.milliseconds(400))
            if bench.told.contains(where: { $0.cue == .expired }) { return false }
        }
        return true
    }

    // MARK: - Reaction time, go/no-go

    @Test(arguments: [false, true]) func reactionsAreScoredAsInTheApps(_ hasNoGo: Bool) throws {
        try Self.expectNoDifference { draw, seed in
            let terms = ReactionTerms(
                minimumStimulusInterval: .milliseconds(300 + draw.below(700)),
                maximumStimulusInterval: .milliseconds(1_000 + draw.below(2_000)),
                timeout: .milliseconds(300 + draw.below(700)), numberOfAttempts: 1 + draw.below(9),
                maxTotalAttempts: hasNoGo ? 9 + draw.below(10) : nil)
            let task = hasNoGo ? ActiveTask(GoNoGoRules(terms)) : ActiveTask(ReactionTimeRules(terms))
            var play = Play(
                task.name,
                [
                    "numberOfAttempts": terms.numberOfAttempts, "maxTotalAttempts": terms.maxTotalAttempts ?? 1_000,
                    "timeout": Double(terms.timeout.milliseconds) / 1_000,
                    "minimumStimulusInterval": Double(terms.minimumStimulusInterval.milliseconds) / 1_000,
                    "maximumStimulusInterval": Double(terms.maximumStimulusInterval.milliseconds) / 1_000,
                ])
            var bench = Bench(task, on: Self.three, seed: seed, at: .zero)
            var killed = draw.below(4) == 0 ? 1 + draw.below(5) : 0
            bench.press(0)
            var attempts: [[String: Any]] = []
            for number in 1...200 where bench.performance == nil {
                if number == killed {
                    killed = 0
                    play.script += attempts + [["kill": true]]
                    attempts = []
                    bench = Bench(task, on: Self.three, seed: seed &+ 1, at: bench.now + .seconds(30))
                    bench.press(0)
                }
                if let attempt = Self.attempt(&bench, terms, &draw) { attempts.append(attempt) }
            }
            play.end(bench.performance)
            // What an attempt would have been that was pressed into is known to the device alone.
            if hasNoGo {
                for (index, result) in (play.sent["results"] as? [[String: Any]] ?? []).enumerated()
                where index < attempts.count {
                    for (key, name) in [("go", "go"), ("delay", "stimulusDelay")] where attempts[index][key] == nil {
                        attempts[index][key] = result[name]
                    }
                }
            }
            play.script += attempts
            return play
        }
    }

    /// From the dark to the result; nil where the test took the participant for gone and a press
    /// goes on.
    static func attempt(_ bench: inout Bench, _ terms: ReactionTerms, _ draw: inout SplitMix64) -> [String: Any]? {
        guard let reset = bench.told.last(where: { $0.cue == .dark })?.at, bench.machine.isUnderWay else {
            bench.wait(.seconds(1))
            bench.press(0)
            return nil
        }
        var attempt: [String: Any] = ["reset": seconds(reset), "shown": NSNull(), "press": NSNull()]
        if draw.below(6) == 0 {
            bench.advance(to: max(bench.now, reset + .milliseconds(100 + draw.below(190))))
            attempt["press"] = seconds(bench.now)
            bench.press(draw.below(3))
        } else if bench.reach({ if case .stimulus = $0 { true } else { false } }),
            let light = bench.told.last(where: {
                if case .stimulus = $0.cue { true } else { false }
            })
        {
            attempt["shown"] = seconds(light.at)
            attempt["delay"] = seconds(light.at, since: reset)
            if case .stimulus(_, _, let sign) = light.cue { attempt["go"] = sign != .noGo }
            let late = terms.timeout + .milliseconds(1)
            switch draw.below(5) {
            case 0: break
            case 1: bench.advance(to: light.at + late + .milliseconds(draw.below(45)))
            case 2: bench.advance(to: light.at + terms.timeout)
            default:
                bench.advance(
                    to: light.at + .microseconds(50_000 + draw.below(Int(terms.timeout.nanoseconds / 1_000) - 50_000)))
            }
            if bench.now > light.at {
                attempt["press"] = seconds(bench.now)
                bench.press(draw.below(3))
            }
        }
        _ = bench.reach { $0 == .dark }
        return attempt
    }

    // MARK: - Vigilance

    @Test func theVigilanceTestIsScoredAsInMomentum() throws {
        try Self.expectNoDifference { draw, seed in
            let most = 200 + draw.below(800)
            let rules = VigilanceRules(
                trials: 1 + draw.below(8), minimumWaiting: .milliseconds(300 + draw.below(500)),
                maximumWaiting: .milliseconds(1_000 + draw.below(2_000)), maximumReaction: .milliseconds(most),
                showsResults: false, allowsLeaving: true)
            let task = ActiveTask(rules)
            var play = Play(
                "pvt",
                [
                    "trials": rules.trials, "min_waiting": rules.minimumWaiting.milliseconds,
                    "max_waiting": rules.maximumWaiting.milliseconds, "max_reaction": most,
                ])
            var bench = Bench(task, on: Self.three, seed: seed, at: .zero)
            let killed = draw.below(4) == 0 ? 1 + draw.below(4) : 0
            let left = draw.below(4) == 0 ? 2 + draw.below(6) : 0
            bench.press(0)
            _ = bench.reach { $0 == .dark }
            for number in 1...200 where bench.performance == nil {
                if number == killed {
                    play.script.append(["kill": true])
                    bench = Bench(task, on: Self.three, seed: seed &+ 1, at: bench.now + .seconds(30))
                    bench.press(0)
                    _ = bench.reach { $0 == .dark }
                }
                if number == left {
                    play.script.append(["exit": true])
                    bench.send(.interrupted)
                    bench.send(.gaveUp)
                } else if let trial = Self.trial(&bench, most, &draw) {
                    play.script.append(trial)
                }
            }
            play.end(bench.performance)
            return play
        }
    }

    static func trial(_ bench: inout Bench, _ most: Int, _ draw: inout SplitMix64) -> [String: Any]? {
        guard let began = bench.told.last(where: { $0.cue == .dark })?.at, bench.machine.isUnderWay else {
            bench.wait(.seconds(1))
            bench.press(0)
            _ = bench.reach { $0 == .dark }
            return nil
        }
        var trial: [String: Any] = ["waited": NSNull(), "press": NSNull()]
        if draw.below(6) == 0 {
            bench.advance(to: max(bench.now, began + .milliseconds(50 + draw.below(240))))
            trial["press"] = -1
            bench.press(draw.below(3))
        } else if bench.reach({ if case .stimulus = $0 { true } else { false } }),
            let light = bench.told.last(where: {
                if case .stimulus = $0.cue { true } else { false }
            })
        {
            trial["waited"] = seconds(light.at, since: began) * 1_000
            if draw.below(5) > 0 {
                // Not at the limit itself: there the app's own counter decides by accident.
                let reaction =
                    draw.below(8) == 0
                    ? most * 1_000 + 1_000 + draw.below(40_000) : 100_000 + draw.below(most * 1_000 - 101_000)
                bench.advance(to: light.at + .microseconds(reaction))
                trial["press"] = Double(reaction) / 1_000
                bench.press(draw.below(3))
            }
        }
        _ = bench.reach { $0 == .dark }
        return trial
    }

    // MARK: - Tapping

    /// Two fingers in random turns and lengths; some taps overlap, some come after the time, and a
    /// killed program starts again.
    @Test func tappingCountsAsMotorControl() throws {
        try Self.expectNoDifference { draw, seed in
            var rules = TimedStepRules(name: "tapping", duration: .seconds(3 + draw.below(20)))
            (rules.takesTaps, rules.goesOnByItself) = (true, true)
            let task = ActiveTask(rules)
            var play = Play("tapping", ["duration": Int(rules.duration.components.seconds)])
            var bench = Bench(task, on: Self.three, seed: seed, at: .zero)
            let killed = draw.below(4) == 0 ? 1 + draw.below(8) : -1
            let evenness = draw.below(4)
            var left = true
            for tap in 0..<400 where bench.performance == nil {
                if tap == killed {
                    play.script.append(["kill": true])
                    bench = Bench(task, on: Self.three, seed: seed, at: bench.now + .seconds(9))
                }
                bench.wait(.milliseconds(20 + draw.below(600)))
                guard bench.performance == nil else { break }
                left = draw.below(4) <= evenness ? !left : left
                let (button, name) = left ? (0, "left") : (2, "right")
                play.script.append(["at": Self.seconds(bench.now), "button": name, "down": true])
                bench.edge(button, true)
                bench.wait(.milliseconds(20 + draw.below(200)))
                guard bench.performance == nil else { break }
                play.script.append(["at": Self.seconds(bench.now), "button": name, "down": false])
                bench.edge(button, false)
            }
            bench.wait(.seconds(60))
            play.end(bench.performance)
            let samples = play.sent["samples"] as? [[String: Any]] ?? []
            play.sent["samples"] = samples.map { $0.filter { $0.key != "uptime" } }
            return play
        }
    }

    // MARK: - Walks, tremor

    @Test func theTimedWalkIsTimedAsInResearchKit() throws {
        try Self.expectNoDifference { draw, seed in
            let rules = TimedWalkRules(
                distanceInMeters: Double(1 + draw.below(400)), timeLimit: .seconds(5 + draw.below(300)))
            let task = ActiveTask(rules)
            var play = Play(
                "timedWalk",
                ["distanceInMeters": rules.distanceInMeters, "stepDuration": Int(rules.timeLimit.components.seconds)])
            var bench = Bench(task, on: Self.three, seed: seed, at: .zero)
            for attempt in 0...(draw.below(4) == 0 ? 1 : 0) {
                if attempt > 0 {
                    play.script.append(["kill": true])
                    bench = Bench(task, on: Self.three, seed: seed, at: bench.now + .seconds(60))
                }
                bench.wait(.milliseconds(1_000 + draw.below(5_000)))
                let start = bench.now
                bench.press(draw.below(3))
                let walked = Duration.milliseconds(1_000 + draw.below(Int(rules.timeLimit.milliseconds) * 5 / 4))
                bench.advance(to: start + walked)
                var end: Any = NSNull()
                if bench.performance == nil {
                    end = Self.seconds(bench.now)
                    bench.press(draw.below(3))
                    if walked > rules.timeLimit { end = NSNull() }
                }
                play.script += [["start": Self.seconds(start)], ["end": end]]
            }
            play.end(bench.performance)
            return play
        }
    }

    /// Tremor, balance and walk of MotorControl: steps that last while motion is recorded. Their
    /// time stands still over the menu.
    @Test func stepsThatLastTakeTheTimeOfMotorControl() throws {
        try Self.expectNoDifference { draw, seed in
            var rules = TimedStepRules(name: "active", duration: .seconds(3 + draw.below(60)))
            (rules.beginsByItself, rules.goesOnByItself) = (true, true)
            let task = ActiveTask(rules)
            var play = Play("active", ["duration": Int(rules.duration.components.seconds)])
            var bench = Bench(task, on: Self.three, seed: seed, at: .zero)
            if draw.below(4) == 0 {
                bench.wait(.seconds(2))
                play.script.append(["kill": true])
                bench = Bench(task, on: Self.three, seed: seed, at: bench.now + .seconds(20))
            }
            let start = bench.now
            play.script.append(["start": Self.seconds(start)])
            for _ in 0..<draw.below(4) where bench.performance == nil {
                bench.wait(.milliseconds(draw.below(20_000)))
                // The step stands still from the release that opens the menu.
                bench.press(.menu)
                guard bench.performance == nil else { break }
                play.script.append(["at": Self.seconds(bench.now), "pause": true])
                bench.wait(.milliseconds(500 + draw.below(30_000)))
                bench.press(.select)
                bench.send(.resumed)
                play.script.append(["at": Self.seconds(bench.now), "pause": false])
            }
            bench.wait(.seconds(4_000))
            play.end(bench.performance)
            play.sent["lasted"] = Self.seconds(bench.ended ?? bench.now, since: start)
            return play
        }
    }
}
