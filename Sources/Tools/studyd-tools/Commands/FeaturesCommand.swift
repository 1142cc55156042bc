// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Base
import Commands
import Device
import Exports
import Features
import SystemKit

/// `studyd-tools features`: a table of what is computed from recordings, epoch by epoch.
struct FeaturesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "features",
        abstract: "Compute features of recordings, a row for each minute: activity, wear, sound, time at one place.",
        discussion: """
            Of acceleration (CWA, any program's): enmo, mad, anglez, agcounts (ActiGraph's), wear. Of sound levels: sound. Of NMEA: visits.
            Several files of one participant are one stream; gaps have no values, and every row says how much of it was measured.
            Example: studyd-tools features recordings --epoch 60s -o features.csv
            Example: studyd-tools features 000042-accelerometer.cwa --is enmo,agcounts
            """)
    @Argument(help: "The recordings, or a folder of them; all of one participant.")
    var files: [String]
    @Option(name: .long, help: "The length of an epoch: 1s, or whole multiples of 5s that divide 15m.")
    var epoch = "60s"
    @Option(
        name: .customLong("is"), help: "Compute only these, separated by commas.",
        completion: .list(FeatureCatalog.names))
    var names: String?
    @Option(name: .shortAndLong, help: "The file to write; - for standard output.")
    var output = "-"
    @OptionGroup var key: KeyOption
    @OptionGroup var unused: UnusedOptions

    func run() throws {
        guard let length = try? Duration(parsing: epoch), let epoch = Epoch(length) else {
            throw FileError.format(
                path: "--epoch", problem: "'\(epoch)' is no length of an epoch; use \(Epoch.allowed)")
        }
        try RecordingConversion(key).run { opened, meter throws(FileError) in
            // None of these may be overwritten: every file of a folder, the descriptions too.
            let inputs = try RecordingSelection.all(files) + [key.key].compactMap(\.self)
            let names = self.names?.split(separator: ",").map(String.init)
            return try FeatureExport.run(
                files, epoch: epoch, names: names, opened: opened.path(of:),
                to: { () throws(FileError) in try OutputTarget.open(output, inputs: inputs) }, progress: meter.show)
        }
    }
}
