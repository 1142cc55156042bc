// SPDX-License-Identifier: Apache-2.0
import ServiceLifecycle
import Upload

/// Keeps the uploaders running until the group shuts down.
struct UploadService: Service {
    let uploader: Uploaders

    func run() async throws {
        await withGracefulShutdownHandler {
            await uploader.run()
        } onGracefulShutdown: {
            uploader.stop()
        }
    }
}
