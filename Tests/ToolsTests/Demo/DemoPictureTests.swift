// SPDX-License-Identifier: Apache-2.0
import Base
import Simulation
import Study
import SystemKit
import Testing

@testable import Agent
@testable import Device
@testable import studyd_tools

@Suite struct DemoPictureTests {
    private static func picture() throws -> (DemoPicture, BoardDescription, Narrator) {
        let path = MadeBoard.package + "/boards/simulated.toml"
        let board = try BoardDescription(parsing: BoundedFile.text(path), file: path)
        let panel = try Panel(board)
        let narrator = Narrator(zone: .utc, panel: panel, keys: board.buttons.map(\.terminalKey), explains: false)
        return (DemoPicture(board, panel: panel, address: "http://x", trace: SignalTrace()), board, narrator)
    }

    /// By the mixing of coloured light; dark, a light has no colour.
    @Test(
        arguments: [
            ([0, 0, 0], "off"), ([255, 255, 255], "white"), ([255, 255, 0], "yellow"), ([255, 0, 255], "violet"),
            ([255, 0, 0], "red"), ([0, 255, 0], "green"), ([0, 255, 255], "green"), ([0, 0, 255], "blue"),
            ([9, 9, 9], "on"),
            ([128, 127, 127], "red"), ([127, 127, 127], "on"),
        ] as [([Int], String)])
    func aLightIsNamedByItsColour(light: [Int], words: String) throws {
        let (picture, board, narrator) = try Self.picture()
        let state = SimulatedPanelFolder.State(red: light[0], green: light[1], blue: light[2])
        let shown = picture.picture(
            nil, board.lights.map { _ in state }, narrator, tellsReleases: false, log: [],
            at: Moment(instant: .epoch, monotonic: .zero))
        #expect(shown.lights.map(\.words) == [words])
        #expect(shown.lights.allSatisfy { ($0.colour == nil) == (words == "off") })
    }

    /// Each second of each measure has a place in its strip.
    @Test func everySecondIsDrawn() throws {
        let (first, _, narrator) = try Self.picture()
        var picture = first
        let folder = try TemporaryFolder("strips")
        defer { folder.remove() }
        let frame = VectorFrame(values: SIMD8(repeating: 0), count: 3, time: .zero, isStamped: false)
        let channels = ["x", "y", "z"].map { Channel(name: $0, unit: .standardGravity, scale: 0.001) }
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
            of: .vectors(FrameRing(capacity: 4, repeating: frame)),
            source: SourceDescription(
                kind: .accelerometer, device: "LIS3DH", location: "i2c-1 0x18", channels: channels, nominalRate: 100,
                fullScale: 8),
            origin: RecordingOrigin(
                study: "s", participant: "p", deviceID: 1, bootID: "b", zone: .utc),
            folder: RecordingFolder(folder.path))
        let state = MeasureState(recorder, lastHour: SampleCounts())
        for seconds in 0...3 {
            if seconds > 0 { picture.record([state], Ledger()) }
            let shown = picture.picture(
                nil, [], narrator, tellsReleases: false, log: [],
                at: Moment(instant: .epoch, monotonic: .zero))
            #expect(shown.signals.map(\.seconds.count) == (seconds > 0 ? [seconds] : []))
        }
    }
}
