// SPDX-License-Identifier: Apache-2.0
import Base

/// What platforms are told as the version of the app.
package enum AppVersion {
    package static let text = ProgramVersion.text
}
