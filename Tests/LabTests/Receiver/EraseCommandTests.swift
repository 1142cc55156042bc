// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import SystemKit
import Testing

@testable import Lab
@testable import StandIns

/// A participant who is erased, as the page and the participant's device see it.
@Suite(.timeLimit(.minutes(10))) struct EraseCommandTests {
    private static let id = "ABDEG234"

    private func erase(_ folder: String) async throws {
        try await EraseCommand<StandInOptions>.parse([Self.id, "--data", folder, "--yes"]).run()
    }

    /// The device still has data, and sends them.
    private func post(_ url: String) async throws -> String {
        let form = SchemaPostTests.response.flatMap { ["--form-string", "\($0.0)=\($0.1)"] }
        return try await run(["curl", "-s", "-i"] + form + [url + "/schema"])
    }

    /// A device of before still sends, and would come in by any of these.
    @Test func theNameStaysClosed() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let (keys, key) = (try DeviceKeys(.file(folder + "/devices.sqlite")), TestDevice(1).publicKey)
            try await keys.add([(user: Self.id, key: TestDevice(2).publicKey)], at: .epoch)
            try await erase(folder)
            let moment = try #require(try await LabRegister(.file(folder + "/lab.sqlite")).erasedAt(of: Self.id))
            let list = folder + "/keys.csv"
            try AtomicFile.write(Array("P2,\(key)\n\(Self.id),\(key)\n".utf8), to: list)
            let commands: [@Sendable () async throws -> Void] = [
                { try await DevicesCommand.Approve.parse([Self.id, "--data", folder]).run() },
                { try await DevicesCommand.Import.parse([list, "--data", folder]).run() },
                { try await DevicesCommand.Codes.parse(["P2", Self.id, "--data", folder]).run() },
            ]
            for command in commands {
                let error = await #expect(throws: CommandError.self) { try await command() }
                #expect(error?.explanation.cause.contains("was erased at \(moment.rfc3339Zulu())") == true)
            }
            try await withReceiver(folder) { url, _ in
                for form in ["kind=approve&key=\(key)", "kind=note&label=shelf", "kind=note&note=about"] {
                    let fields = "participant=\(Self.id)&\(form)"
                    let answer = try await run(["curl", "-s", "-i", "-d", fields, url + "/changes"])
                    #expect(answer.hasPrefix("HTTP/1.1 409") && answer.contains("use another name"), "\(answer)")
                }
                let revoke = "kind=revoke&participant=\(Self.id)"
                #expect(try await run(["curl", "-s", "-i", "-d", revoke, url + "/changes"]).hasPrefix("HTTP/1.1 200"))
            }
            #expect(try await keys.list().allSatisfy { $0.user == Self.id && $0.state == .revoked })
            #expect(try await keys.openCodes(at: .epoch).isEmpty)
            #expect(EraseCommand<StandInOptions>.configuration.discussion.contains("The name stays closed"))
        }
    }

    @Test(arguments: DeviceKeyMode.allCases.filter { $0 != .required })
    func theServerGoesOnWithoutTheParticipant(mode: DeviceKeyMode) async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceKeys = mode }) { url, _ in
                #expect(try await post(url).hasPrefix("HTTP/1.1 200"))
                let note = "kind=note&participant=\(Self.id)&label=shelf"
                _ = try await run(["curl", "-s", "-d", note, url + "/changes"])
                let refusal = await #expect(throws: FileError.self) { try await erase(folder) }
                #expect(refusal?.description.contains("a study-receiver is running with this data folder") == true)
                #expect(try await run(["curl", "-s", url + "/api/devices"]).contains(Self.id))
            }
            try await erase(folder)
            try await withReceiver(folder, { $0.deviceKeys = mode }) { url, _ in
                #expect(try await post(url).hasPrefix("HTTP/1.1 403"))
                // The page itself has an example of that name.
                for path in [
                    "/api/devices", "/api/records", "/tables/participants.csv?days=all", "/tables/answers.csv?days=all",
                ] {
                    #expect(try await !run(["curl", "-s", url + path]).contains(Self.id), "\(path)")
                }
                // Neither what is malformed nor an unknown key is noted in the name.
                let malformed = ["--form-string", "user_id=\(Self.id)", "--form-string", "data_type=nothing"]
                #expect(
                    try await run(["curl", "-s", "-i"] + malformed + [url + "/schema"]).hasPrefix("HTTP/1.1 403"))
                #expect(try await !run(["curl", "-s", url + "/api/refusals"]).contains(Self.id))
                let report = try FleetSamples.value(["participant": "\"\(Self.id)\"", "device": "\"\(Self.id)\""]).text
                let signed = try TestDevice(3).options(
                    "POST", url + "/reports", [("Content-Type", "application/json")], body: report)
                let answer = try await run(
                    ["curl", "-s", "-i", "--data-binary", "@-"] + signed + [url + "/reports"], input: report)
                #expect(answer.hasPrefix("HTTP/1.1 403"), "\(answer)")
                let keys = try DeviceKeys(.file(folder + "/devices.sqlite"))
                #expect(try await keys.rows(of: Self.id).map(\.state) == [.revoked])
                let changes = try await run(["curl", "-s", url + "/changes"])
                #expect(changes.contains("participant erased") && changes.contains(Self.id))
                #expect(changes.contains("label or note written") && !changes.contains("shelf"))
                let row = try JSONReader.value(try await run(["curl", "-s", url + "/api/changes"]))["changes"]?[0]
                #expect(row?["kind"] == .string("erase") && row?["by"] == .string("command"))
            }
        }
    }
}
