// SPDX-License-Identifier: Apache-2.0
import Device
import Glibc
import RecordingSchema
import SystemKit
import Testing

@testable import RecordingFuzz

/// The short form; `make damage` does ten thousand damages to every format.
@Suite struct DamageTests {
    private static func folder(_ name: String) -> String {
        (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + "/studyd-damage-\(name)-\(getpid())"
    }

    @Test(.timeLimit(.minutes(10))) func everyDamageToAFileOrItsDescriptionIsFound() throws {
        var run = try DamageRun(folder: Self.folder("all"))
        defer { run.end() }
        #expect(run.faultsOfTheWhole().isEmpty)
        run.run(0..<64 * DamageRun.formats)
        let (found, all) = run.total(.described)
        #expect(found == all && all > 550, "\(run.missed)")
        #expect(Set(Damage.allCases.map { run.found["described \($0)"] != nil }) == [true])
        // Without any digest content and description still disagree in most cases, and a file alone
        // is not defenceless.
        for (setting, least) in [(DamageRun.Setting.redigested, 0.9), (.alone, 0.8)] {
            let (found, all) = run.total(setting)
            #expect(Double(found) > least * Double(all), "\(setting): \(found) of \(all)")
        }
    }

    /// As the published schema wants them: what is damaged was whole in every word.
    @Test func theDescriptionsThatAreDamagedFitTheSchema() throws {
        let items = try DamageCorpus(folder: Self.folder("schema")).items
        for item in items {
            let faults = try DescriptionSchema.faults(of: item.description)
            #expect(faults.isEmpty, "\(item.name): \(faults)")
        }
        #expect(items.count >= DamageRun.formats)
    }

    /// gzip(1) and flac(1) judge by RFC 1952 and RFC 9639: what they refuse we refuse, and what
    /// gzip takes our reading of gzip takes.
    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            ("csv-levels", "csv.gz", "gzip -t"), ("csv-field", "csv.gz", "gzip -t"), ("flac", "flac", "flac -t -s"),
        ])
    func whatTheFormatsOwnProgramsRefuseIsRefused(label: String, ending: String, program: String) throws {
        guard shell("command -v \(program.prefix { $0 != " " })") == 0 else {
            print("SKIPPED: \(program) is not installed")
            return
        }
        let run = try DamageRun(folder: Self.folder(label))
        defer { run.end() }
        let path = Self.folder(label) + "/other.\(ending)"
        defer { unlink(path) }
        var refused = 0
        for number in 0..<57 where try run.write(number, of: label, to: path) {
            let isRefused = shell("\(program) '\(path)'") != 0
            refused += isRefused ? 1 : 0
            let problems = (try? FileInspector.problems(of: path)) ?? ["no recording"]
            #expect(!isRefused || !problems.isEmpty, "\(program) refuses damage \(number)")
            guard program.hasPrefix("gzip") else { continue }
            // gzip(1) says nothing of zeros behind the end.
            let fault = try GzipFile.fault(File(path, .read))
            #expect(
                (fault != nil) == isRefused || fault?.contains("trailing bytes") == true,
                "damage \(number): \(fault ?? "")")
        }
        #expect(refused > 20)
    }

    private func shell(_ command: String) -> CInt {
        guard let pipe = popen("\(command) >/dev/null 2>&1", "r") else { return -1 }
        return pclose(pipe)
    }
}
