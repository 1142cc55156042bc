// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Lab

@Suite(.timeLimit(.minutes(10))) struct FleetWatchTests {
    private let now = Instant(seconds: 1_780_000_000)

    private func watch(
        _ folder: String, _ archive: FleetArchive, _ said: Said = Said(), keys: DeviceKeys? = nil, since: Instant? = nil
    ) throws -> FleetWatch {
        try FleetWatch(
            .file(folder + "/watch.sqlite"), archive: archive, keys: try keys ?? DeviceKeys(.memory),
            limitsFile: folder + "/limits.toml", expectedVersion: nil, makesNotices: true, since: since ?? now,
            report: { said.add($0) })
    }

    private func notices(_ watch: FleetWatch, at now: Instant) async throws -> [FleetNotice] {
        var all: [FleetNotice] = []
        while let notice = try await watch.nextNotice(at: now) {
            all.append(notice)
            try await watch.note(.taken, to: notice, at: now)
        }
        return all
    }

    @Test func aChangeIsToldOnceWhenItBeginsAndOnceWhenItEnds() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let archive = try FleetArchive(.memory)
            let first = try watch(folder, archive)
            try await archive.take(FleetSamples.report(["disk.low": "true"]), isKeyed: false, from: "", at: now)
            for second in 0..<3 { try await first.look(at: now + .seconds(second)) }
            #expect(try await notices(first, at: now + .seconds(3)).map(\.title) == ["P007: low disk"])
            // Another start of the server knows what was told.
            let second = try watch(folder, archive)
            try await second.look(at: now + .seconds(4))
            #expect(try await notices(second, at: now + .seconds(4)).isEmpty)
            try await archive.take(
                FleetSamples.report(["number": "18"]), isKeyed: false, from: "", at: now + .seconds(5))
            for moment in 5..<8 { try await second.look(at: now + .seconds(moment)) }
            let ended = try await notices(second, at: now + .seconds(8))
            #expect(ended.map(\.title) == ["P007: low disk ended"] && ended.map(\.tags) == ["white_check_mark,disk"])
            try await second.look(at: now + .seconds(3906))
            let silent = try await notices(second, at: now + .seconds(3906))
            #expect(silent.map(\.title) == ["P007: silent"] && silent.map(\.priority) == [5])
        }
    }

    @Test(arguments: [true, false]) func noticesAreMadeWhereTheyAreSentAlone(makesNotices: Bool) async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let archive = try FleetArchive(.memory)
            let watch = try FleetWatch(
                .file(folder + "/watch.sqlite"), archive: archive, keys: try DeviceKeys(.memory),
                limitsFile: folder + "/limits.toml", expectedVersion: nil, makesNotices: makesNotices, since: now,
                report: { _ in })
            try await archive.take(FleetSamples.report(["disk.low": "true"]), isKeyed: false, from: "", at: now)
            try await watch.look(at: now)
            let titles = try await notices(watch, at: now).map(\.title)
            #expect(titles == (makesNotices ? ["P007: low disk"] : []))
        }
    }

    @Test func twoFaultsAreTwoChanges() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let archive = try FleetArchive(.memory)
            let watch = try watch(folder, archive)
            let both = #"[{"place":"a:1","fault":"stalled"},{"place":"b","fault":"gone"}]"#
            try await archive.take(FleetSamples.report(["faults": both]), isKeyed: false, from: "", at: now)
            try await watch.look(at: now)
            #expect(try await notices(watch, at: now).count == 2)
            let one = #"[{"place":"b","fault":"gone"}]"#
            try await archive.take(
                FleetSamples.report(["number": "18", "faults": one]), isKeyed: false, from: "", at: now)
            try await watch.look(at: now)
            let ended = try await notices(watch, at: now)
            #expect(ended.map(\.title) == ["P007: fault ended"] && ended.first?.body.hasPrefix("a:1: over") == true)
        }
    }

    @Test func aRevokedDevicesFaultIsNotToldAsRepaired() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let (archive, keys) = (try FleetArchive(.memory), try DeviceKeys(.memory))
            let watch = try watch(folder, archive, keys: keys)
            let fault = #"[{"place":"a:1","fault":"stalled"}]"#
            try await archive.take(FleetSamples.report(["faults": fault]), isKeyed: false, from: "", at: now)
            try await watch.look(at: now)
            #expect(try await notices(watch, at: now).map(\.title) == ["P007: fault"])
            try await keys.revoke("P007", at: now)
            for _ in 0..<2 { try await watch.look(at: now) }
            let told = try await notices(watch, at: now)
            #expect(told.map(\.title) == ["P007: revoked", "P007: fault no longer watched"])
            #expect(told.last?.body.hasPrefix("a:1: its key is revoked\n") == true)
            #expect(told.map(\.tags) == ["warning,revoked", "no_entry,fault"])
        }
    }

    @Test func aWebhookThatIsAwayIsTriedAgainUpToADozenTimes() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let (archive, said) = (try FleetArchive(.memory), Said())
            let watch = try watch(folder, archive, said)
            try await archive.take(FleetSamples.report(["disk.low": "true"]), isKeyed: false, from: "", at: now)
            try await watch.look(at: now)
            var moment = now
            var waits: [Int64] = []
            while let notice = try await watch.nextNotice(at: moment) {
                try await watch.note(.later("away"), to: notice, at: moment)
                let before = moment
                while try await watch.nextNotice(at: moment) == nil, moment - before < .seconds(100_000) {
                    moment = moment + .seconds(30)
                }
                waits.append((moment - before).components.seconds)
            }
            #expect(waits.dropLast() == [30, 60, 120, 240, 480, 960, 1920, 3840, 7680, 15_360, 30_720])
            #expect(said.all.count == 1 && said.all[0].contains("given up"))
        }
    }

    @Test func limitsThatCannotBeReadLeaveThoseBefore() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let (archive, said) = (try FleetArchive(.memory), Said())
            let watch = try watch(folder, archive, said)
            try await archive.take(FleetSamples.report(), isKeyed: false, from: "", at: now)
            let file = folder + "/limits.toml"
            try AtomicFile.write(Array("[study.mood]\nbattery = 0.9".utf8), to: file)
            #expect(try await watch.view(at: now).attention[FleetSamples.source]?.map(\.kind) == [.battery])
            try AtomicFile.write(Array("[study.mood]\nbatery = 0.1".utf8), to: file)
            for _ in 0..<2 {
                let view = try await watch.view(at: now)
                #expect(view.attention[FleetSamples.source]?.map(\.kind) == [.battery])
                #expect(view.limitsProblem?.contains("study.mood.batery") == true)
            }
            #expect(said.all.count == 1)
        }
    }
}
