// SPDX-License-Identifier: Apache-2.0
import Foundation
import PlatformKit
import StudyModel
import Testing
import Times

@testable import PlatformESMira

@Suite struct ESMiraAppTests {
    static let count = 1_000

    @Test func writeScenarios() throws {
        guard let path = ProcessInfo.processInfo.environment["ESMIRA_SCENARIOS"] else { return }
        var lines: [String] = []
        for number in 0..<Self.count {
            let app = AppStudy(number)
            for name in AppStudy.zones {
                let zone = try Zone.load(name)
                let joined = zone.resolve(app.joined(in: zone)).instant.milliseconds
                for habit in AppStudy.Habit.allCases {
                    lines.append(
                        #"{"id":"\#(number) \#(name) \#(habit.rawValue)","zone":"\#(name)","joined":\#(joined),"end":\#(joined + Int64(AppJourney.days) * 86_400_000),"mode":"\#(habit.rawValue)","step":\#(app.step(habit)),"group":\#(app.group),"study":\#(app.text)}"#
                    )
                }
            }
        }
        try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }

    @Test func compare() throws {
        guard let path = ProcessInfo.processInfo.environment["ESMIRA_OUTCOMES"] else { return }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        var outcomes: [String: Set<String>] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
            outcomes[String(parts[0])] = Set(parts[1].split(separator: " ").map(String.init))
        }
        var out = ""
        var same = 0
        for number in 0..<Self.count {
            let app = AppStudy(number)
            let study = try ESMiraReader().decode(StudySource(Array(app.text.utf8)))
            for name in AppStudy.zones {
                let zone = try Zone.load(name)
                for habit in AppStudy.Habit.allCases {
                    let id = "\(number) \(name) \(habit.rawValue)"
                    guard let theirs = outcomes[id] else { continue }
                    var journey = AppJourney(app, study, habit, zone)
                    let ours = journey.run()
                    if ours == theirs { same += 1; continue }
                    func moment(_ e: String) -> Int { Int(e.split(separator: "@")[1].split(separator: "/")[0]) ?? 0 }
                    let diff = ours.subtracting(theirs).map { "+" + $0 } + theirs.subtracting(ours).map { "-" + $0 }
                    out += id + "\t" + diff.sorted { moment($0) < moment($1) }.joined(separator: " ") + "\n"
                }
            }
        }
        try "same \(same)\n\(out)".write(toFile: path + ".diff", atomically: true, encoding: .utf8)
    }
}
