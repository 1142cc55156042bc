// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Features

/// The example of docs/adding/feature.md: compiled here, and run as every feature is.
@Suite struct FeaturePageTests {
    private static func file(_ path: String) throws -> String {
        let root = #filePath.replacing("Tests/FeaturesTests/Adding/FeaturePageTests.swift", with: "")
        return try BoundedFile.text(root + path)
    }

    @Test func thePageHasTheCodeThatIsCompiledHere() throws {
        let page = try Self.file("docs/adding/feature.md")
        let blocks = page.split(separator: "```swift\n").dropFirst().compactMap { $0.split(separator: "\n```").first }
        #expect(blocks.count == 1)
        let code = try Self.file("Tests/FeaturesTests/Adding/ENMOa.swift")
        for block in blocks { #expect(code.contains(block), "\(block.prefix(60))") }
    }

    private static func line(_ samples: [MotionSample]) -> (enmo: Double?, enmoa: Double?, rows: Int) {
        let setting = MotionSetting(epoch: .minute, rate: 50)
        var run = FeatureRun<MotionSample>([ENMO(setting), ENMOa(setting)], epoch: .minute, rate: 50)
        let rows = samples.flatMap { run.add($0) } + run.finish()
        return (rows.first?.values[0], rows.first?.values[1], rows.count)
    }

    private static func still(_ force: Double) -> [MotionSample] {
        (0..<500).map { MotionSample(time: Signals.start + .milliseconds(20 * $0), x: 0, y: force, z: 0) }
    }

    /// GGIR, documentation of `do.enmoa`: as ENMO, but with the absolute value in place of 0 below 1 g.
    @Test(arguments: [(1.25, 0.25, 0.25), (1, 0, 0), (0.5, 0, 0.5), (0, 0, 1)])
    func belowOneGravityOnlyTheAbsoluteCounts(force: Double, enmo: Double, enmoa: Double) {
        let line = Self.line(Self.still(force))
        #expect(line.rows == 1 && line.enmo == enmo && line.enmoa == enmoa)
    }
}
