// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Lab

@Suite struct ManifestFolderTests {
    private static func manifest(_ day: String) throws -> (body: [UInt8], value: DeviceManifest) {
        let text =
            #"{"format":"studyd-manifest","version":1,"device":"P1","study":"s","participant":"P1","enrolment":"e1","day":"\#(day)","entries":[]}"#
        let key = try #require(Ed25519.PrivateKey(seed: [UInt8](repeating: 7, count: 32)))
        let signed = try SignedJSON.signed(text, by: key)
        return (Array(signed.utf8), try DeviceManifest(try JSONReader.value(signed)))
    }

    /// 2000 of an enrolment are kept; one that is there already may come again.
    @Test func anEnrolmentHasRoomForFiveYearsOfManifests() async throws {
        try await withFolder { directory in
            let folder = ManifestFolder(directory)
            let (first, second) = (try Self.manifest("2026-11-25"), try Self.manifest("2026-11-26"))
            try folder.keep(first.body, of: first.value, others: 1999)
            #expect(throws: HTTPFailure.self) { try folder.keep(second.body, of: second.value, others: 2000) }
            try folder.keep(first.body, of: first.value, others: 2000)
            #expect(FolderListing.readable(directory + "/manifests") == ["e1-manifest-2026-11-25.json"])
        }
    }

    @Test func manifestsOfAnEnrolmentAreCounted() async throws {
        let archive = try FleetArchive(.memory)
        for (number, day) in ["2026-11-25", "2026-11-26", "2026-11-26"].enumerated() {
            let manifest = try Self.manifest(day).value
            #expect(try await archive.manifestCount(of: manifest.source) == number)
            try await archive.take(manifest, here: [], at: .epoch)
        }
        #expect(try await archive.manifestCount(of: Self.manifest("2026-11-25").value.source) == 2)
        #expect(try await archive.manifestCount(of: "somebody") == 0)
    }
}
